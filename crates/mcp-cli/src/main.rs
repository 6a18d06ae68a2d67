#![doc = include_str!("../README.md")]
#![expect(dead_code, reason = "being wired")]

mod source;

fn main() {}
