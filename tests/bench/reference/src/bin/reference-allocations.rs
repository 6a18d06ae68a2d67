//! Counts the heap allocations of a call that is written, read, answered and read.

use harness::allocations::{Counting, count};
use harness::{Row, Scenario, payload};
use reference::Codec;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let scenario = Scenario::from_args();
    let codec = Codec {
        typed: true,
        era: scenario.era,
    };
    let text = payload(scenario.size);
    let (mut request, mut answer) = (Vec::new(), Vec::new());
    let mut before = 0;
    let warm = scenario.warm_up_calls();
    for call in 0..warm + scenario.calls {
        if call == warm {
            before = count();
        }
        request.clear();
        answer.clear();
        codec.request(call as u64, &text, &mut request);
        codec.answer(&request, &mut answer);
        codec.read(&answer, scenario.size);
    }
    let row = Row {
        allocations: (count() - before) as f64 / scenario.calls as f64,
        ..Row::default()
    };
    row.print();
}
