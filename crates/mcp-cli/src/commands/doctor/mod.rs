//! `mcp doctor`: for each server whether it starts, what it speaks and offers, what is wrong.

mod examine;
mod lists;
mod outside;
mod report;
mod schema;
mod text;

use std::time::Duration;

use futures_util::future::join_all;

use super::{Answer, listing};
use crate::arguments::ListArguments;
use crate::exit::{Exit, Failure};
use crate::fleet::Fleet;
use crate::shown;

use self::examine::examine;
use self::report::{Report, Verdict};

/// More time than usual, for a slow start and none at all are not the same.
pub(super) const STARTUP: Duration = Duration::from_secs(15);

pub(super) async fn run(arguments: &ListArguments, fleet: &Fleet) -> Result<Answer, Failure> {
    let pool = fleet.only(&arguments.only)?;
    let names = listing::names(&pool);
    let examined = names.iter().filter_map(|name| {
        let seen = fleet.seen(name)?;
        Some(examine(&pool, name, seen))
    });
    let mut servers = join_all(examined).await;
    lists::compare(&mut servers);
    let config = fleet.config().map(|file| file.display().to_string());
    let report = Report::new(config, fleet.notes().to_vec(), servers);
    let text = match arguments.json {
        true => shown::json(&report)?,
        false => text::of(&report),
    };
    Ok(Answer {
        text,
        exit: match report.verdict {
            Verdict::Failed => Exit::Failed,
            Verdict::Ok | Verdict::Problems => Exit::Done,
        },
    })
}
