//! What a program is asked to do: `kind=stdio imp=ours size=64 calls=1000 inflight=64`.

use std::str::FromStr;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Calls of a child process.
    Stdio,
    /// Calls over HTTP on the loopback interface.
    Http,
    /// Calls within one process.
    Pair,
    /// From nothing to an agreed revision, and back to nothing; a "call" is one such cycle.
    StdioStart,
    /// The same over HTTP, with a server that runs already.
    HttpStart,
    /// Idle sessions in an HTTP server; a "call" opens one.
    Sessions,
}

/// Which lifecycle is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25: a handshake, over HTTP a session.
    Handshake,
    /// 2026-07-28: each request stands alone.
    Stateless,
}

/// One measurement.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub kind: Kind,
    /// Which variant of the implementation: `raw` or `serde`, `stdio` or `pipes`.
    pub imp: String,
    pub era: Era,
    /// Bytes of text in each call, and in each answer.
    pub size: usize,
    pub calls: usize,
    /// How many calls are under way at once.
    pub inflight: usize,
    /// How many tools the server has; the one that is called is the last.
    pub tools: usize,
    /// Both sides on a runtime of one thread.
    pub single_thread: bool,
}

impl Scenario {
    /// Reads the arguments of the program.
    pub fn from_args() -> Self {
        let mut scenario = Self::default();
        for argument in std::env::args().skip(1) {
            let (key, value) = argument.split_once('=').expect("arguments are key=value");
            match key {
                "kind" => scenario.kind = value.parse().expect("a kind"),
                "imp" => value.clone_into(&mut scenario.imp),
                "era" => scenario.era = value.parse().expect("an era"),
                "size" => scenario.size = value.parse().expect("a size"),
                "calls" => scenario.calls = value.parse().expect("a number of calls"),
                "inflight" => scenario.inflight = value.parse().expect("a number in flight"),
                "tools" => scenario.tools = value.parse().expect("a number of tools"),
                "threads" => scenario.single_thread = value == "1",
                _ => panic!("no argument is called {key}"),
            }
        }
        scenario
    }

    /// How many calls go before those that count.
    pub fn warm_up_calls(&self) -> usize {
        (self.calls / 20).clamp(1, 500)
    }

    /// The arguments for a server that serves this scenario.
    pub fn server_args(&self) -> Vec<String> {
        vec![
            format!("kind={}", self.kind.name()),
            format!("imp={}", self.imp),
            format!("era={}", self.era.name()),
            format!("tools={}", self.tools),
            format!("threads={}", if self.single_thread { "1" } else { "many" }),
        ]
    }
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            kind: Kind::Stdio,
            imp: String::new(),
            era: Era::Handshake,
            size: 64,
            calls: 1000,
            inflight: 1,
            tools: 1,
            single_thread: false,
        }
    }
}

impl Kind {
    const ALL: [(&'static str, Self); 6] = [
        ("stdio", Self::Stdio),
        ("http", Self::Http),
        ("pair", Self::Pair),
        ("stdio-start", Self::StdioStart),
        ("http-start", Self::HttpStart),
        ("sessions", Self::Sessions),
    ];

    fn name(self) -> &'static str {
        let named = Self::ALL.into_iter().find(|(_, kind)| *kind == self);
        named.map_or("", |(name, _)| name)
    }

    /// Whether the server is reached over HTTP.
    pub fn is_http(self) -> bool {
        matches!(self, Self::Http | Self::HttpStart | Self::Sessions)
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|(known, _)| *known == name);
        named
            .map(|(_, kind)| kind)
            .ok_or_else(|| format!("no kind is called {name}"))
    }
}

impl Era {
    /// The revision that stands for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Handshake => "2025-11-25",
            Self::Stateless => "2026-07-28",
        }
    }
}

impl FromStr for Era {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        [Self::Handshake, Self::Stateless]
            .into_iter()
            .find(|era| era.name() == name)
            .ok_or_else(|| format!("no era is called {name}"))
    }
}
