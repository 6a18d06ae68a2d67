//! What models are shown: structured content, and no more than fits.

use std::sync::{Arc, Mutex};

use http::Extensions;
use mcp_interceptors::{
    CallId, Command, JsonMap, KeptResults, ShowStructured, ShowStructuredLayer, ToolCall,
    ToolLayers, ToolOutcome, Toolset, Truncate, TruncateLayer,
};
use mcp_protocol::{CallToolResult, ContentBlock, ToolAnnotations};
use serde_json::json;

use super::{Script, call, hinted};

#[tokio::test]
async fn structured_content_is_shown_as_the_setting_says() {
    let texts = |result: &CallToolResult, show| {
        let script = Script::new([Ok(result.clone().into())]);
        let layer = ShowStructuredLayer::new(show);
        let service = script.behind(&ToolLayers::new().layer(layer));
        async move {
            let outcome = service.call(call()).await.unwrap();
            let stays = |result: &CallToolResult| result.structured_content.is_some();
            assert!(matches!(&outcome, ToolOutcome::Result(result) if stays(result)));
            (outcome.text(), outcome.is_error())
        }
    };
    let mut result = CallToolResult::text("see there").with_structured_content(json!({"a": 1}));
    let always = texts(&result, ShowStructured::Always).await;
    assert_eq!(always, ("see there\n{\"a\":1}".to_owned(), false));
    let if_no_text = texts(&result, ShowStructured::IfNoText).await;
    assert_eq!(if_no_text, ("see there".to_owned(), false));
    result.content.clear();
    result.is_error = Some(true);
    let if_no_text = texts(&result, ShowStructured::IfNoText).await;
    assert_eq!(if_no_text, ("{\"a\":1}".to_owned(), true));
    let never = texts(&result, ShowStructured::Never).await;
    assert_eq!(never, (String::new(), true));
}

fn long() -> String {
    "0123456789".repeat(600)
}

async fn read(kept: &KeptResults, args: JsonMap) -> ToolOutcome {
    let tools = kept.tools();
    let reader = tools.tools().await.tools.remove(0);
    assert_eq!(reader.name(), "read_tool_result");
    tools.call(ToolCall::new(reader, args)).await.unwrap()
}

#[tokio::test]
async fn a23_a_long_text_is_cut_and_the_whole_is_read_under_the_calls_id() {
    let image = ContentBlock::image([1], "image/png");
    let result = CallToolResult::new(vec![long().into(), image.clone()]);
    let script = Script::new([Ok(result.into()), Ok(long().into())]);
    let kept = KeptResults::new();
    let service = script.behind(&ToolLayers::new().layer(TruncateLayer::keeping(&kept)));

    let mut extensions = Extensions::new();
    extensions.insert(CallId::new("call-7"));
    let for_a_model = hinted(ToolAnnotations::new(), extensions);
    let outcome = service.call(for_a_model).await.unwrap();
    assert_eq!(outcome.content()[1], image);
    let text = outcome.text();
    let (head, rest) = text
        .split_once("\n...[truncated: kept 2000+1000 of 6000 chars; ")
        .unwrap();
    let (how, tail) = rest.split_once("]...\n").unwrap();
    assert_eq!((head.len(), tail.len()), (2_000, 1_000));
    assert_eq!(
        how,
        "full result: read_tool_result(tool_call_id=\"call-7\")"
    );

    let mut whole = String::new();
    for offset in [0, 4_000] {
        let args = json!({"tool_call_id": "call-7", "offset": offset});
        let part = read(&kept, args.as_object().unwrap().clone()).await;
        whole.push_str(part.content()[0].as_text().unwrap());
    }
    assert_eq!(whole, long());

    let outcome = service.call(call()).await.unwrap();
    assert!(outcome.text().contains("tool_call_id=\"result-2\""));
    assert_eq!(kept.get("result-2").as_deref(), Some(&*long()));
}

#[tokio::test]
async fn what_is_short_enough_goes_nowhere() {
    let short = "数".repeat(5_000);
    let script = Script::new([Ok(short.as_str().into())]);
    let sunk = Arc::new(Mutex::new(0));
    let count = Arc::clone(&sunk);
    let layer = TruncateLayer::new(move |_, _| {
        *count.lock().unwrap() += 1;
        "x".to_owned()
    });
    let service = script.behind(&ToolLayers::new().layer(layer));
    assert_eq!(service.call(call()).await.unwrap().text(), short);
    assert_eq!(*sunk.lock().unwrap(), 0);
}

#[tokio::test]
async fn a_commands_message_is_cut_too_and_lengths_are_a_choice() {
    let script = Script::new([Ok(Command::end().with_message("a long story").into())]);
    let kept = KeptResults::new();
    let layer = TruncateLayer::keeping(&kept).lengths(Truncate::new(10, 3, 2));
    let service = script.behind(&ToolLayers::new().layer(layer));
    let outcome = service.call(call()).await.unwrap();
    assert!(
        outcome
            .text()
            .starts_with("a l\n...[truncated: kept 3+2 of 12")
    );
    assert!(matches!(outcome, ToolOutcome::Command(_)));
    assert_eq!(kept.get("result-1").as_deref(), Some("a long story"));
}

#[tokio::test]
async fn the_oldest_texts_go_first() {
    let texts = KeptResults::MAX_COUNT + 1;
    let script = Script::new((0..texts).map(|n| Ok(format!("{n} a long story").into())));
    let kept = KeptResults::new();
    let layer = TruncateLayer::keeping(&kept).lengths(Truncate::new(10, 3, 2));
    let service = script.behind(&ToolLayers::new().layer(layer));
    for _ in 0..texts {
        service.call(call()).await.unwrap();
    }
    assert_eq!(kept.get("result-1"), None);
    assert!(kept.get("result-2").is_some());
}
