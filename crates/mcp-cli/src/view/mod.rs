//! What a person or a program sees of a run while it works.

mod board;

use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mcp::interceptors::ServerFailure;
use serde_json::{Map, Value, json};

use self::board::Board;
use crate::output;
use crate::shown;

/// How often the lines of running calls are drawn anew.
const TICK: Duration = Duration::from_millis(100);
/// Names the line that shows that servers are being started.
const STARTING: &str = "starting";
/// The longest line of a failure's standard error that is shown, in characters.
const STDERR_LINE: usize = 300;
/// The most lines of a failure's standard error that are shown.
const STDERR_LINES: usize = 5;

/// Shows a run: live lines on a terminal, plain lines elsewhere, or JSON events. Clones show the
/// same.
#[derive(Clone, Debug)]
pub(crate) struct View {
    style: Style,
    board: Arc<Mutex<Board>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Live { width: usize },
    Plain,
    Json,
}

impl View {
    /// JSON events on standard output, or else lines on standard error.
    pub(crate) fn new(json: bool) -> Self {
        let style = if json {
            Style::Json
        } else if std::io::stderr().is_terminal()
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        {
            Style::Live { width: width() }
        } else {
            Style::Plain
        };
        Self {
            style,
            board: Arc::default(),
        }
    }

    /// Draws running calls anew, for as long as it is polled.
    pub(crate) async fn animate(&self) -> std::convert::Infallible {
        let Style::Live { .. } = self.style else {
            return std::future::pending().await;
        };
        loop {
            tokio::time::sleep(TICK).await;
            if self.board().is_running() {
                self.draw();
            }
        }
    }

    /// A run begins; its servers are started.
    pub(crate) fn begin(&self, model: &str, servers: &[&str]) {
        self.event("started", || json!({"model": model, "servers": servers}));
        if let Style::Live { .. } = self.style {
            let label = format!("starting {}", shown::line(&servers.join(", ")));
            self.board().begin(Instant::now(), STARTING, label);
            self.draw();
        }
    }

    /// All servers have started, or failed.
    pub(crate) fn servers_are_up(&self) {
        if let Style::Live { .. } = self.style {
            self.board().forget(STARTING);
            self.draw();
        }
    }

    /// A server cannot be used.
    pub(crate) fn failed_server(&self, failure: &ServerFailure) {
        self.event("server_failed", || {
            json!({
                "server": failure.server,
                "phase": failure.phase.to_string(),
                "message": failure.message,
                "stderr": failure.stderr,
            })
        });
        self.line(&failure_text(failure));
    }

    /// The model says something beside its answer.
    pub(crate) fn said(&self, text: &str) {
        self.event("said", || json!({"text": text}));
        self.line(text);
    }

    /// A tool is called.
    pub(crate) fn call_begins(&self, call: &CallLine<'_>, arguments: &Map<String, Value>) {
        self.event("tool_started", || {
            json!({"id": call.id, "server": call.server, "tool": call.tool, "arguments": arguments})
        });
        if self.style != Style::Json && !call.is_inner() {
            let label = call.label(arguments);
            self.board().begin(Instant::now(), call.id, label);
            self.draw();
        }
    }

    /// A call has ended.
    pub(crate) fn call_ends(&self, call: &CallLine<'_>, failed: Option<&str>, took: Duration) {
        self.event("tool_ended", || {
            json!({
                "id": call.id,
                "server": call.server,
                "tool": call.tool,
                "ok": failed.is_none(),
                "error": failed,
                "milliseconds": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            })
        });
        if self.style != Style::Json {
            let outcome = match failed {
                None => "ok".to_owned(),
                Some(reason) => format!("failed: {}", shown::message(reason)),
            };
            self.board().end(Instant::now(), call.id, &outcome);
            self.draw();
        }
    }

    /// The answer, alone on standard output unless events are wanted.
    pub(crate) fn answer(&self, text: &str) {
        if self.style == Style::Json {
            self.event("answer", || json!({"text": text}));
        } else {
            output::content(text);
        }
    }

    /// Something that a person should know.
    pub(crate) fn note(&self, text: &str) {
        self.event("note", || json!({"text": text}));
        self.line(text);
    }

    /// The run was interrupted.
    pub(crate) fn interrupted(&self) {
        self.event("interrupted", || json!({}));
    }

    /// Why there is no answer.
    pub(crate) fn failed(&self, message: &str) {
        self.event("failed", || json!({"message": message}));
        self.line(&format!("mcp: {}", shown::message(message)));
    }

    fn event(&self, name: &str, members: impl FnOnce() -> Value) {
        if self.style == Style::Json {
            let mut event = members();
            if let Some(event) = event.as_object_mut() {
                event.insert("event".to_owned(), name.into());
            }
            output::answer(&shown::escaped(event.to_string()));
        }
    }

    fn line(&self, text: &str) {
        if self.style != Style::Json {
            self.board().keep(shown::visible(text).into_owned());
            self.draw();
        }
    }

    /// The board stays locked until all is written, so that frames follow each other.
    fn draw(&self) {
        let mut board = self.board();
        let frame = match self.style {
            Style::Live { width } => board.frame(Instant::now(), width),
            Style::Plain => board.ended(),
            Style::Json => return,
        };
        output::frame(&frame);
    }

    fn board(&self) -> std::sync::MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call as its line names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallLine<'a> {
    pub(crate) id: &'a str,
    pub(crate) server: &'a str,
    pub(crate) tool: &'a str,
}

impl CallLine<'_> {
    /// Whether the call only reads what an earlier one gave.
    fn is_inner(&self) -> bool {
        self.tool == "read_tool_result"
    }

    /// `server  tool  {"argument":...}`
    fn label(&self, arguments: &Map<String, Value>) -> String {
        let arguments = Value::from(arguments.clone()).to_string();
        let [server, tool] = [self.server, self.tool].map(shown::line);
        format!("{server}  {tool}  {}", shown::cut(&arguments, 60))
    }
}

/// What is told of a failed server: phase, reason, the last lines of its standard error.
pub(crate) fn failure_text(failure: &ServerFailure) -> String {
    let server = shown::line(&failure.server);
    let reason = reason(&failure.message, failure.stderr.as_deref());
    format!("{server}  failed in {}: {reason}", failure.phase)
}

/// What happened, and the last lines of the server's standard error, each on a line of its own.
pub(crate) fn reason(message: &str, stderr: Option<&str>) -> String {
    // Where the lines stand below, the message need not end with them.
    let told = match (stderr, message.split_once(": its stderr ends with: ")) {
        (Some(_), Some((told, _))) => told,
        _ => message,
    };
    let lines = stderr.unwrap_or_default().lines();
    let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    let last = lines.iter().skip(lines.len().saturating_sub(STDERR_LINES));
    let last = last.map(|line| format!("\n    | {}", shown::cut(line, STDERR_LINE)));
    shown::message(told) + &last.collect::<String>()
}

/// A time in milliseconds, to a tenth.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}

/// The width of the terminal in columns, as far as it is known.
fn width() -> usize {
    #[cfg(unix)]
    let columns = rustix::termios::tcgetwinsize(std::io::stderr()).map_or(0, |size| size.ws_col);
    #[cfg(not(unix))]
    let columns = 0;
    if columns == 0 { 80 } else { columns.into() }
}
