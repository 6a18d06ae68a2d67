//! Placeholder. 
fn main() {}
