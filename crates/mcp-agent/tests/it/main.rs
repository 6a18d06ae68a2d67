//! What the agent crate promises, by the names of the rules.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod agent;
mod agent_listening;
mod agent_results;
mod agent_stopping;
mod asking;
mod attacks;
mod busy_threads;
mod changing_tools;
mod commands;
mod contracts;
mod durable;
mod elicits;
mod engine_attacks;
mod examples;
mod forms;
mod goto;
mod http_headers;
mod interceptor_examples;
mod layered;
mod middleware;
mod peers;
mod real_servers;
mod resume;
mod retries;
mod rounds_approved;
mod samples;
mod server_graphs;
mod steps;
mod stores;
mod streams;
mod subgraphs;
mod threads;
mod wiring;
