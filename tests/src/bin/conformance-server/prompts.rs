//! Prompts, and the completion of their arguments.

use mcp::protocol::{
    CompleteParams, ContentBlock, Prompt, PromptArgument, PromptMessage, ResourceContents,
};
use mcp::server::{Context, NoArgs, ServerBuilder};
use serde::Deserialize;

use crate::media::PNG;

#[derive(Deserialize)]
struct Two {
    arg1: String,
    arg2: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Embedded {
    resource_uri: String,
}

fn argument(name: &str, description: &str) -> PromptArgument {
    PromptArgument::new(name)
        .with_description(description)
        .with_required(true)
}

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    builder
        .prompt(
            Prompt::new("test_simple_prompt").with_description("A prompt without arguments."),
            |_: NoArgs, _: Context| async { Ok("This is a simple prompt for testing.") },
        )
        .prompt(
            Prompt::new("test_prompt_with_arguments")
                .with_description("A prompt with two arguments.")
                .with_arguments(vec![
                    argument("arg1", "The first argument."),
                    argument("arg2", "The second argument."),
                ]),
            |two: Two, _: Context| async move {
                let Two { arg1, arg2 } = two;
                Ok(format!(
                    "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"
                ))
            },
        )
        .prompt(
            Prompt::new("test_prompt_with_embedded_resource")
                .with_description("A prompt with a resource.")
                .with_arguments(vec![argument("resourceUri", "The URI of the resource.")]),
            |embedded: Embedded, _: Context| async move {
                let text = "Embedded resource content for testing.";
                let contents = ResourceContents::text(embedded.resource_uri, text)
                    .with_mime_type("text/plain");
                Ok(vec![
                    PromptMessage::user(ContentBlock::resource(contents)),
                    PromptMessage::user("Please process the embedded resource above."),
                ])
            },
        )
        .prompt(
            Prompt::new("test_prompt_with_image").with_description("A prompt with an image."),
            |_: NoArgs, _: Context| async {
                Ok(vec![
                    PromptMessage::user(ContentBlock::image(PNG, "image/png")),
                    PromptMessage::user("Please analyze the image above."),
                ])
            },
        )
        .completion(|params: CompleteParams, _: Context| async move {
            let typed = params.argument.value;
            let known = ["test", "testValue1", "testValue2", "value"];
            let fits = known.iter().filter(|value| value.starts_with(&typed));
            Ok(fits.map(|value| (*value).to_owned()).collect::<Vec<_>>())
        })
}
