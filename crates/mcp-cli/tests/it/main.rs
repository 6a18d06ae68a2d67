//! The `mcp` command from outside: its answers, its exit codes, and that it leaves nothing behind.

mod agent;
mod config;
mod openai;
mod scratch;
mod serve;
mod tools;
