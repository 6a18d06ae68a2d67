//! From what came of a call to what the model reads, and what is kept.

use mcp_interceptors::{CallError, CallErrorKind, Command, RawResult, ToolMessage, ToolOutcome};
use mcp_protocol::{ContentBlock, ResourceContents, Role};

use super::results::FailureClass;

pub use mcp_interceptors::ShowStructured;

/// What a call came to.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) message: ToolMessage,
    pub(crate) command: Option<Command>,
    pub(crate) failure: Option<FailureClass>,
}

impl Answer {
    /// A call that could not even be made.
    pub(crate) fn refused(text: String) -> Self {
        Self {
            message: ToolMessage::error(text),
            command: None,
            failure: Some(FailureClass::Call),
        }
    }

    /// What a tool or a layer gave.
    pub(crate) fn of(outcome: ToolOutcome, raw: &RawResult) -> Self {
        let (message, command) = match outcome {
            ToolOutcome::Result(result) => (result.into(), None),
            ToolOutcome::Message(message) => (message, None),
            ToolOutcome::Command(mut command) => {
                let message = command.message.take();
                let message = message.or_else(|| raw.take().map(Into::into));
                (message.unwrap_or_else(|| "ok".into()), Some(command))
            }
        };
        Self {
            failure: message.is_error().then_some(FailureClass::Call),
            message,
            command,
        }
    }

    /// The same failure in other words.
    pub(crate) fn saying(mut self, text: String) -> Self {
        self.message = ToolMessage::error(text);
        self
    }

    /// What went wrong around the call.
    pub(crate) fn error(name: &str, error: &CallError) -> Self {
        let failure = match error.kind() {
            CallErrorKind::Connect
            | CallErrorKind::Transport
            | CallErrorKind::TimedOut
            | CallErrorKind::Cancelled
            | CallErrorKind::Refused => FailureClass::Outside,
            CallErrorKind::Rejected => FailureClass::Refused,
            _ => FailureClass::Call,
        };
        Self {
            message: ToolMessage::error(format!("Tool {name} failed: {}", error.chain())),
            command: None,
            failure: Some(failure),
        }
    }
}

/// What the model reads of a message: nothing that is for the person only, structured content
/// as the setting says, and never nothing at all where something failed.
pub(crate) fn shown(message: &ToolMessage, structured: ShowStructured) -> Vec<ContentBlock> {
    let mut content = Vec::with_capacity(message.content.len());
    let for_model = message.content.iter();
    let for_model = for_model.filter(|block| !is_for_person(block));
    content.extend(for_model.map(|block| too_large(block).unwrap_or_else(|| block.clone())));
    structured.append(&mut content, message.artifact.as_ref());
    if content.is_empty() {
        let text = match (message.is_error(), message.content.is_empty()) {
            (true, _) => "The tool reported an error without saying which.",
            (false, false) => "The result was shown to the user.",
            (false, true) => return content,
        };
        content.push(ContentBlock::text(text));
    }
    content
}

/// How many bytes of an image, of sound or of another file a model is shown at most.
const MAX_FILE: usize = 5 << 20;

/// What stands for a file that is too large to be shown.
fn too_large(block: &ContentBlock) -> Option<ContentBlock> {
    let (kind, data) = match block {
        ContentBlock::Image(image) => (image.mime_type.as_str(), &image.data),
        ContentBlock::Audio(audio) => (audio.mime_type.as_str(), &audio.data),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::Blob(blob) => {
                let kind = blob.mime_type.as_deref();
                (kind.unwrap_or("application/octet-stream"), &blob.blob)
            }
            _ => return None,
        },
        _ => return None,
    };
    let bytes = data.trim_end_matches('=').len() * 3 / 4;
    let text = format!("[{kind}, {bytes} bytes: too large to be shown]");
    (bytes > MAX_FILE).then(|| ContentBlock::text(text))
}

/// How many characters of an error a model is shown where results are not cut.
const MAX_ERROR: usize = 5_000;

/// An error in short, where it is long.
pub(crate) fn cut_error(content: &[ContentBlock]) -> Option<Vec<ContentBlock>> {
    let bytes = content
        .iter()
        .filter_map(ContentBlock::as_text)
        .map(str::len);
    if bytes.sum::<usize>() <= MAX_ERROR {
        return None;
    }
    let text = super::truncate::joined(content);
    let total = text.chars().count();
    let kept: String = text.chars().take(MAX_ERROR).collect();
    let text = match total {
        0..=MAX_ERROR => kept,
        _ => format!("{kept}\n...[cut: {MAX_ERROR} of {total} characters]"),
    };
    let others = content.iter().filter(|block| block.as_text().is_none());
    Some(
        std::iter::once(text.into())
            .chain(others.cloned())
            .collect(),
    )
}

fn is_for_person(block: &ContentBlock) -> bool {
    let audience = block.annotations().and_then(|a| a.audience.as_deref());
    audience.is_some_and(|audience| !audience.is_empty() && !audience.contains(&Role::Assistant))
}

#[cfg(test)]
mod tests {
    use mcp_protocol::{Annotations, CallToolResult, TextContent};
    use serde_json::json;

    use super::*;

    #[test]
    fn a36_structured_content_is_kept_and_shown_as_the_setting_says() {
        for is_error in [false, true] {
            let mut result = CallToolResult::new(Vec::new()).with_structured_content(json!([1, 2]));
            result.is_error = Some(is_error);
            let mut message = ToolMessage::from(result);
            assert_eq!(message.artifact, Some(json!([1, 2])));
            assert_eq!(message.is_error(), is_error);
            assert_eq!(shown(&message, ShowStructured::IfNoText), ["[1,2]".into()]);
            message.content.push("text".into());
            assert_eq!(shown(&message, ShowStructured::IfNoText), ["text".into()]);
            let always = shown(&message, ShowStructured::Always);
            assert_eq!(always, ["text".into(), "[1,2]".into()]);
            assert_eq!(shown(&message, ShowStructured::Never), ["text".into()]);
        }
    }

    #[test]
    fn i01_an_error_without_a_text_gets_one() {
        let mut result = CallToolResult::new(Vec::new());
        result.is_error = Some(true);
        let message = ToolMessage::from(result);
        assert_eq!(shown(&message, ShowStructured::Never).len(), 1);
    }

    #[test]
    fn a_file_that_is_too_large_is_named_and_not_shown() {
        let file =
            |bytes: usize| ToolMessage::new(vec![ContentBlock::image(vec![0; bytes], "image/png")]);
        let small = file(MAX_FILE);
        assert_eq!(shown(&small, ShowStructured::Never), small.content);
        let large = shown(&file(MAX_FILE + 3), ShowStructured::Never);
        let text = large[0].as_text().unwrap();
        assert_eq!(text, "[image/png, 5242883 bytes: too large to be shown]");
    }

    #[test]
    fn what_is_for_the_person_alone_is_not_shown_to_the_model() {
        let hint = Annotations::new().with_audience(vec![Role::User]);
        let private: ContentBlock = TextContent::new("secret").with_annotations(hint).into();
        let message = ToolMessage::new(vec![private.clone(), "open".into()]);
        assert_eq!(shown(&message, ShowStructured::Never), ["open".into()]);
        let only = shown(&ToolMessage::new(vec![private]), ShowStructured::Never);
        assert_eq!(only, ["The result was shown to the user.".into()]);
    }
}
