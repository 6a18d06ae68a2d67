//! The client program.

fn main() {
    harness::client_program::<ours::Ours>();
}
