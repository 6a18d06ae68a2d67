//! Lines on a terminal, one for each call: those that run are drawn anew, those that have ended
//! stay.

use std::time::{Duration, Instant};

/// What the lines show.
#[derive(Debug, Default)]
pub(super) struct Board {
    running: Vec<Running>,
    /// Lines that are to stay and are not written yet.
    done: Vec<String>,
    /// Lines on the terminal that will be drawn anew.
    drawn: usize,
}

#[derive(Debug)]
struct Running {
    key: String,
    label: String,
    since: Instant,
}

impl Board {
    /// A line for something that begins now.
    pub(super) fn begin(&mut self, now: Instant, key: &str, label: String) {
        self.running.push(Running {
            key: key.to_owned(),
            label,
            since: now,
        });
    }

    /// Ends a line with its outcome. A line that had not begun is none.
    pub(super) fn end(&mut self, now: Instant, key: &str, outcome: &str) {
        if let Some(at) = self.running.iter().position(|line| line.key == key) {
            let line = self.running.remove(at);
            let took = seconds(now.saturating_duration_since(line.since));
            self.done.push(format!("{}  {took}  {outcome}", line.label));
        }
    }

    /// Takes a line away.
    pub(super) fn forget(&mut self, key: &str) {
        self.running.retain(|line| line.key != key);
    }

    /// A line that stays.
    pub(super) fn keep(&mut self, line: String) {
        self.done.push(line);
    }

    /// Whether there is something whose time goes on.
    pub(super) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// The lines that are to stay and were not written yet, for what is no terminal.
    pub(super) fn ended(&mut self) -> String {
        let lines = self.done.drain(..).map(|line| format!("{line}\n"));
        lines.collect()
    }

    /// What to write to the terminal so that it shows the present state.
    pub(super) fn frame(&mut self, now: Instant, width: usize) -> String {
        let mut frame = String::new();
        if self.drawn > 0 {
            // Up to the first line that is drawn anew, and clear from there on.
            frame.push_str(&format!("\x1b[{}A\r\x1b[J", self.drawn));
        }
        for line in self.done.drain(..) {
            frame.push_str(&line);
            frame.push('\n');
        }
        for line in &self.running {
            let took = seconds(now.saturating_duration_since(line.since));
            let text = format!("{}  {took}  …", line.label);
            // A line that wraps would break the count of lines.
            frame.extend(text.chars().take(width.saturating_sub(1)));
            frame.push('\n');
        }
        self.drawn = self.running.len();
        frame
    }
}

/// `0.3 s`
fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_lines_are_redrawn_and_ended_ones_stay() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut board = Board::default();
        board.begin(at(0), "1", "git changes".to_owned());
        board.begin(at(0), "2", "wiki search".to_owned());
        assert_eq!(
            board.frame(at(100), 80),
            "git changes  0.1 s  …\nwiki search  0.1 s  …\n"
        );
        board.end(at(1000), "2", "ok");
        assert_eq!(
            board.frame(at(1000), 80),
            "\x1b[2A\r\x1b[Jwiki search  1.0 s  ok\ngit changes  1.0 s  …\n"
        );
        board.keep("note".to_owned());
        assert_eq!(board.frame(at(1000), 8), "\x1b[1A\r\x1b[Jnote\ngit cha\n");
        board.end(at(1000), "1", "failed");
        assert_eq!(
            board.frame(at(1000), 8),
            "\x1b[1A\r\x1b[Jgit changes  1.0 s  failed\n"
        );
        assert!(!board.is_running() && board.frame(at(1000), 8).is_empty());
        board.end(at(1), "9", "ok");
        board.keep("x".to_owned());
        assert_eq!(board.ended(), "x\n");
    }
}
