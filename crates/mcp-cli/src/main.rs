#![doc = include_str!("../README.md")]
#![expect(dead_code, reason = "being wired")]

mod root;
mod servers;
mod source;

fn main() {}
