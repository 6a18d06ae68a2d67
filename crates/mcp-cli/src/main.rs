#![doc = include_str!("../README.md")]
#![expect(dead_code, reason = "being wired")]

mod root;
mod source;

fn main() {}
