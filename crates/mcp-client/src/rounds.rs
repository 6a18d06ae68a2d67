//! Results that ask for input first: the handlers answer, and the call is made again with what
//! they said.
//!
//! Specification: Multi Round-Trip Requests. Since 2026-07-28.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::ErrorCode;
use mcp_protocol::input_required::{InputRequest, InputRequiredResult};
use mcp_protocol::lifecycle::client_allows;
use mcp_protocol::{CallToolParams, GetPromptParams, InputResponses, ReadResourceParams};

use crate::active::InFlight;
use crate::error::InputError;
use crate::handlers::Origin;
use crate::inward::Inward;

/// Params of a call that can be made again with input.
pub(crate) trait TakesInput {
    fn set_input(&mut self, responses: Option<InputResponses>, state: Option<String>);

    /// Whether they ask for a task, as in 2025-11-25.
    fn asks_for_task(&self) -> bool {
        false
    }
}

macro_rules! takes_input {
    ($($params:ty),+) => {
        $(impl TakesInput for $params {
            fn set_input(&mut self, responses: Option<InputResponses>, state: Option<String>) {
                self.input_responses = responses;
                self.request_state = state;
            }
        })+
    };
}

takes_input!(GetPromptParams, ReadResourceParams);

impl TakesInput for CallToolParams {
    fn set_input(&mut self, responses: Option<InputResponses>, state: Option<String>) {
        self.input_responses = responses;
        self.request_state = state;
    }

    fn asks_for_task(&self) -> bool {
        self.task.is_some()
    }
}

/// Gets what the server asks for and puts it into the params. The state goes back as it came,
/// and only if it came this time.
///
/// # Cancel safety
/// Dropping the future drops the handler's.
pub(crate) async fn fulfil(
    inward: &Inward,
    asked: InputRequiredResult,
    call: Option<&InFlight>,
    round: usize,
    params: &mut impl TakesInput,
) -> Result<(), InputError> {
    let Some(requests) = asked.input_requests.filter(|requests| !requests.is_empty()) else {
        if asked.request_state.is_none() {
            return Err(InputError::Empty);
        }
        tokio::time::sleep(pause(round)).await;
        params.set_input(None, asked.request_state);
        return Ok(());
    };
    let responses = answers(inward, requests.iter(), call).await?;
    params.set_input(Some(responses), asked.request_state);
    Ok(())
}

/// Has the handlers answer what a server asks.
///
/// # Cancel safety
/// Dropping the future drops the handler's.
pub(crate) async fn answers<'a>(
    inward: &Inward,
    requests: impl Iterator<Item = (&'a str, &'a InputRequest)>,
    call: Option<&InFlight>,
) -> Result<InputResponses, InputError> {
    let capabilities = inward.handlers.capabilities();
    let mut responses = InputResponses::new();
    let mut unanswered = None;
    for (key, request) in requests {
        client_allows(request.method(), &capabilities)?;
        let method = || request.method().to_owned();
        let origin = Origin::new(Arc::clone(&inward.server), call);
        let answer = match inward.handlers.fulfil(request, origin).await {
            Ok(answer) => answer,
            Err(source) => {
                let refused = source.code != ErrorCode::INTERNAL_ERROR;
                let method = method();
                unanswered.get_or_insert(InputError::Refused { method, source });
                // Who could not answer yet is to hear all questions at once.
                match refused {
                    true => break,
                    false => continue,
                }
            }
        };
        let inserted = responses.insert(key, &answer);
        inserted.map_err(|source| InputError::Unwritable {
            method: method(),
            source,
        })?;
    }
    unanswered.map_or(Ok(responses), Err)
}

/// A server that asks for nothing but to be called again is busy: 100 ms, then twice as long
/// each time, up to 5 s.
fn pause(round: usize) -> Duration {
    const LONGEST: Duration = Duration::from_secs(5);
    let factor = 1_u32 << round.min(10);
    Duration::from_millis(100)
        .saturating_mul(factor)
        .min(LONGEST)
}
