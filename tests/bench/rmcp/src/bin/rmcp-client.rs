//! The client program.

fn main() {
    harness::client_program::<bench_rmcp::Rmcp>();
}
