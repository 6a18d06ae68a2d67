//! Counts what a call costs on fixed inputs: `guard` prints the heap allocations of each input as
//! JSON; `guard INPUT CALLS` makes that many calls, for counting instructions from outside.

mod inputs;

use std::cell::Cell;

use harness::allocations::{self, Counting};
use inputs::INPUTS;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let mut args = std::env::args().skip(1);
    match (args.next(), args.next()) {
        (None, _) => count(),
        (Some(name), calls) => {
            let calls = calls
                .and_then(|calls| calls.parse().ok())
                .expect("a number of calls");
            let input = INPUTS
                .iter()
                .find(|input| input.name == name)
                .expect("a known input");
            (input.run)(calls, &|| ());
        }
    }
}

/// Prints what each input allocates for each call.
fn count() {
    let each = INPUTS.iter().map(|input| {
        const CALLS: usize = 200;
        let marks = Cell::new((0, 0));
        (input.run)(CALLS, &|| marks.set((marks.get().1, allocations::count())));
        let (before, after) = marks.get();
        format!(
            "  \"{}\": {:.2}",
            input.name,
            (after - before) as f64 / CALLS as f64
        )
    });
    println!("{{\n{}\n}}", each.collect::<Vec<_>>().join(",\n"));
}
