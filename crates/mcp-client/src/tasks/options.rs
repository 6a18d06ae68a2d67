//! The bounds of tasks.

use std::time::Duration;

/// The bounds of the tasks that a server may make of its questions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TaskOptions {
    /// How many there are at once, ended ones included. Default: 64. One more is refused.
    pub max_tasks: usize,
    /// How long a task is kept from its creation, ended or not, where the server asks for no
    /// time of its own. Default: 1 hour.
    pub ttl: Duration,
    /// The longest time that a server may ask for. Default: 24 hours.
    pub max_ttl: Duration,
    /// How long servers are told to wait between two looks at a task. Default: 500 ms.
    pub poll_interval: Duration,
}

impl Default for TaskOptions {
    fn default() -> Self {
        Self {
            max_tasks: 64,
            ttl: Duration::from_secs(3600),
            max_ttl: Duration::from_secs(24 * 3600),
            poll_interval: Duration::from_millis(500),
        }
    }
}
