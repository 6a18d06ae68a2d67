//! `mcp prompt`: one prompt, filled in.

use mcp::client::CallOptions;
use mcp::protocol::{GetPromptParams, GetPromptResult, PromptMessage};

use super::content;
use crate::arguments::PromptArguments;
use crate::exit::{Exit, Failure};
use crate::fleet::Fleet;
use crate::output;
use crate::shown;

/// What to fill in, read before anything is started.
///
/// # Errors
/// When an argument is no `KEY=VALUE`, or a key comes twice.
pub(super) fn parse(arguments: &PromptArguments) -> Result<GetPromptParams, Failure> {
    let mut params = GetPromptParams::new(arguments.name.as_str());
    for argument in &arguments.arguments {
        let Some((key, value)) = argument.split_once('=') else {
            let text = format!("the argument {argument:?} is not of the form KEY=VALUE");
            return Err(Failure::usage(text));
        };
        if params.argument(key).is_some() {
            return Err(Failure::usage(format!("the argument {key} is given twice")));
        }
        params = params.with_argument(key, value);
    }
    Ok(params)
}

pub(super) async fn run(
    arguments: &PromptArguments,
    params: GetPromptParams,
    fleet: &Fleet,
) -> Result<Exit, Failure> {
    let options = CallOptions::new();
    let got = fleet.pool().get_prompt(&arguments.server, params, &options);
    let result = got.await.map_err(|e| content::failure(&e))?;
    let text = if arguments.json {
        shown::json(&result)?
    } else {
        as_text(&result)
    };
    output::content(&text);
    Ok(Exit::Done)
}

/// A single message as it is, several with who speaks.
fn as_text(result: &GetPromptResult) -> String {
    if let [message] = result.messages.as_slice() {
        return content::block(&message.content);
    }
    let said = |message: &PromptMessage| {
        let role = message.role.as_str();
        format!("[{role}]\n{}", content::block(&message.content))
    };
    result
        .messages
        .iter()
        .map(said)
        .collect::<Vec<_>>()
        .join("\n\n")
}
