//! One client: connects, makes requests, disconnects, and connects again.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use mcp::client::{ClientOptions, Connect, Handlers};
use mcp::http::HttpTransport;
use mcp::protocol::ProtocolVersion;
use mcp::stdio::ChildBuilder;
use mcp::{HttpConnect, Session, StdioConnect};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::Options;
use super::operation::{Operation, User};
use super::random::Random;
use super::server::WebServer;
use super::tally::Tally;

/// One client in every four speaks over stdio.
const STDIO: u64 = 4;
/// The revisions that clients speak, in turn.
const VERSIONS: [ProtocolVersion; 4] = [
    ProtocolVersion::V2026_07_28,
    ProtocolVersion::V2025_11_25,
    ProtocolVersion::V2025_06_18,
    ProtocolVersion::V2026_07_28,
];

/// A client with its own random numbers.
pub(super) struct Worker {
    number: u64,
    random: Random,
    url: String,
    program: Option<PathBuf>,
    version: ProtocolVersion,
    tally: Arc<Tally>,
}

impl Worker {
    pub(super) fn new(number: u64, options: &Options, web: &WebServer, tally: &Arc<Tally>) -> Self {
        let by_stdio = number % STDIO == STDIO - 1;
        let turn = usize::try_from(number / 2).unwrap_or_default();
        let version = VERSIONS.get(turn % VERSIONS.len()).copied();
        Self {
            number,
            random: Random::new(options.seed.wrapping_mul(1_000_003).wrapping_add(number)),
            url: web.url.clone(),
            program: by_stdio.then(|| options.program.clone()),
            version: version.unwrap_or(ProtocolVersion::LATEST),
            tally: Arc::clone(tally),
        }
    }

    /// Goes on until all requests have been made.
    pub(super) async fn run(mut self) {
        let mut session = self.connect().await;
        while let Some(current) = session {
            let Some(number) = self.tally.begin() else {
                current.close().await;
                return;
            };
            session = match self.random.below(1000) {
                0..4 => self.disconnect(current, number).await,
                4..8 => {
                    self.rudeness().await;
                    self.batch(&current, number).await;
                    Some(current)
                }
                _ => {
                    self.batch(&current, number).await;
                    Some(current)
                }
            };
        }
    }

    fn connector(&self) -> Option<Arc<dyn Connect>> {
        Some(match &self.program {
            Some(program) => Arc::new(StdioConnect::new(ChildBuilder::new(program).arg("--serve"))),
            None => {
                let transport = HttpTransport::builder(&self.url).build().ok()?;
                Arc::new(HttpConnect::new(transport))
            }
        })
    }

    async fn connect(&self) -> Option<Session> {
        let connector = self.connector()?;
        let options = ClientOptions::new("soak", "1.0.0")
            .with_versions([self.version])
            .with_handlers(Handlers::new().with_elicitation(User));
        let connected = Session::connect(&*connector, options).await;
        self.tally.event("connections");
        connected
            .inspect_err(|error| {
                let why = format!("no connection: {}", error.chain());
                self.tally.failed(why);
            })
            .ok()
    }

    /// Makes a request, and others beside it.
    async fn batch(&mut self, session: &Session, first: u64) {
        let beside = self.random.below(8);
        let more = (0..beside)
            .map_while(|_| self.tally.begin())
            .collect::<Vec<_>>();
        let numbers = std::iter::once(first).chain(more);
        let operations: Vec<_> = numbers
            .map(|number| (number, Operation::any(&mut self.random)))
            .collect();
        let this = &*self;
        let performing = operations
            .into_iter()
            .map(|(number, operation)| async move {
                let outcome = operation.perform(session, &this.token(number)).await;
                this.told(operation, outcome);
                this.tally.done(operation.kind());
            });
        join_all(performing).await;
    }

    /// Ends a connection in the midst of requests, and opens another one.
    async fn disconnect(&mut self, session: Session, first: u64) -> Option<Session> {
        let politely = self.random.below(2) == 0;
        let after = Duration::from_millis(self.random.below(5));
        let amount = 10;
        let operation = Operation::Say {
            tool: "slow",
            amount,
        };
        let open = (0..4).map(|at| {
            let (session, token) = (session.clone(), self.token(first * 10 + at));
            tokio::spawn(async move { operation.perform_at_the_end(&session, &token).await })
        });
        let open: Vec<_> = open.collect();
        tokio::time::sleep(after).await;
        if politely {
            session.close().await;
            for call in open {
                let outcome = call.await.unwrap_or_else(|error| Err(error.to_string()));
                self.told(operation, outcome);
            }
        } else {
            // Whoever made the calls is gone, and with them the last handle.
            for call in &open {
                call.abort();
            }
            drop(session);
        }
        self.tally.done(if politely { "closed" } else { "dropped" });
        self.connect().await
    }

    /// Somebody who begins a request and goes away.
    async fn rudeness(&self) {
        let Some(address) = self
            .url
            .strip_prefix("http://")
            .and_then(|rest| rest.split('/').next())
        else {
            return;
        };
        if let Ok(mut stream) = TcpStream::connect(address).await {
            let head = format!(
                "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
                 content-length: 1000\r\n\r\n{{\"jsonrpc\":"
            );
            let _gone = stream.write_all(head.as_bytes()).await;
        }
        self.tally.event("rude");
    }

    fn token(&self, number: u64) -> String {
        format!("<{}.{number}>", self.number)
    }

    fn told(&self, operation: Operation, outcome: Result<(), String>) {
        if let Err(why) = outcome {
            let (version, kind) = (self.version, operation.kind());
            let wire = if self.program.is_some() {
                "stdio"
            } else {
                "HTTP"
            };
            self.tally
                .failed(format!("{kind} over {wire} in {version}: {why}"));
        }
    }
}
