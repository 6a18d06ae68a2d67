//! Counts the heap allocations of a call.

use harness::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    harness::allocations_program::<ours::Ours>();
}
