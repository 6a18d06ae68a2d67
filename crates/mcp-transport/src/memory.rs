//! To be written: a connected pair in memory.
