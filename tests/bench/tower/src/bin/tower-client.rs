//! The client program.

fn main() {
    harness::client_program::<bench_tower::Tower>();
}
