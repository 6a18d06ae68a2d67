//! The table of how messages merge, by name.

use mcp_model::{AssistantMessage, ChatMessage, ToolAnswer, ToolUse};
use mcp_protocol::ContentBlock;
use serde_json::json;

use super::*;
use crate::state::Log;

fn write(seed: u64) -> Write<'static> {
    Write::new("test", 1, seed)
}

fn named(id: &str, text: &str) -> MessageUpdate {
    MessageUpdate::Put(Some(id.into()), ChatMessage::user(text).into())
}

fn update(items: impl IntoIterator<Item = MessageUpdate>) -> MessagesUpdate {
    items.into_iter().collect()
}

fn of(items: impl IntoIterator<Item = MessageUpdate>) -> Messages {
    let mut messages = Messages::new();
    messages.apply(update(items), &write(0)).unwrap();
    messages
}

fn shown(messages: &Messages) -> Vec<String> {
    let named = messages.ids().iter().zip(messages.iter());
    named
        .map(|(id, message)| format!("{id}={}", message.text()))
        .collect()
}

#[test]
fn p_r11_new_messages_are_appended_in_order() {
    let mut messages = of([named("1", "a")]);
    let more = update([named("2", "b"), named("3", "c")]);
    messages.apply(more, &write(1)).unwrap();
    assert_eq!(shown(&messages), ["1=a", "2=b", "3=c"]);
}

#[test]
fn p_r11_a_known_id_is_replaced_in_its_place() {
    let mut messages = of([named("1", "a"), named("2", "b")]);
    messages
        .apply(update([named("1", "x")]), &write(1))
        .unwrap();
    assert_eq!(shown(&messages), ["1=x", "2=b"]);
    let twice = update([named("3", "c"), named("3", "d")]);
    messages.apply(twice, &write(2)).unwrap();
    assert_eq!(shown(&messages), ["1=x", "2=b", "3=d"]);
}

#[test]
fn p_r11_removing_needs_a_known_id() {
    let mut messages = of([named("1", "a"), named("2", "b")]);
    let remove = |id: &str| MessageUpdate::Remove(id.into());
    messages.apply(update([remove("1")]), &write(1)).unwrap();
    assert_eq!(shown(&messages), ["2=b"]);
    let error = messages
        .apply(update([remove("9")]), &write(2))
        .unwrap_err();
    assert!(error.to_string().contains('9'), "{error}");
}

#[test]
fn p_r11_removing_and_writing_one_id_in_one_update() {
    let remove = |id: &str| MessageUpdate::Remove(id.into());
    let mut messages = of([named("1", "a")]);
    let again = update([remove("1"), named("1", "b")]);
    messages.apply(again, &write(1)).unwrap();
    assert_eq!(shown(&messages), ["1=b"], "replaced, not removed");
    let gone = update([named("2", "c"), remove("2")]);
    messages.apply(gone, &write(2)).unwrap();
    assert_eq!(shown(&messages), ["1=b"], "added, then removed");
}

#[test]
fn p_r11_remove_all_drops_what_came_before_it() {
    let mut messages = of([named("1", "a")]);
    let all = update([
        named("2", "b"),
        MessageUpdate::RemoveAll,
        named("3", "c"),
        named("3", "d"),
    ]);
    messages.apply(all, &write(1)).unwrap();
    assert_eq!(shown(&messages), ["3=c", "3=d"], "verbatim");
}

#[test]
fn p_r11_ids_are_fixed_when_written_and_survive_a_reload() {
    let mut messages = of(["a".into(), "b".into()]);
    let ids = messages.ids().to_vec();
    assert_eq!(of(["a".into(), "b".into()]).ids(), ids, "deterministic");
    let change = messages.take_change().unwrap().unwrap();
    let mut again = Messages::new();
    again.replay(&change).unwrap();
    assert_eq!(again.ids(), ids);
    assert_eq!(shown(&again), shown(&messages));
    assert!(again.take_change().unwrap().is_none());
}

#[test]
fn a_change_holds_what_is_new_and_no_more() {
    let mut messages = of([named("1", "a"), named("2", "b")]);
    messages.take_change().unwrap();
    messages
        .apply(update([named("3", "c")]), &write(1))
        .unwrap();
    let Some(Change::Tail { from, items }) = messages.take_change().unwrap() else {
        panic!("a tail");
    };
    assert_eq!((from, items.len()), (2, 1));

    let mut copy = messages.clone();
    let last = MessageUpdate::Remove("3".into());
    messages.apply(update([last]), &write(2)).unwrap();
    let change = messages.take_change().unwrap().unwrap();
    copy.replay(&change).unwrap();
    assert_eq!(shown(&copy), ["1=a", "2=b"]);
}

#[test]
fn an_answer_goes_right_behind_its_call() {
    let call = |id: &str| ToolUse::new(id, "t", "{}");
    let answer = |id: &str| -> MessageUpdate {
        let content = vec![ContentBlock::text(id)];
        ChatMessage::Tool(ToolAnswer::new(&call(id), content, false)).into()
    };
    let asking = AssistantMessage::new(vec![], vec![call("c1"), call("c2")]);
    let mut messages = of([ChatMessage::Assistant(asking).into()]);
    let first = update([answer("c1"), "an aside".into()]);
    messages.apply(first, &write(1)).unwrap();
    messages.apply(update([answer("c2")]), &write(2)).unwrap();
    let texts: Vec<_> = messages.iter().map(|m| m.text()).collect();
    assert_eq!(texts, ["", "c1", "c2", "an aside"]);
}

#[test]
fn messages_are_read_from_the_forms_that_people_write() {
    let update: MessagesUpdate = serde_json::from_value(json!([
        "hello",
        ["ai", "hi"],
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "two"}], "id": "u2"},
        {"role": "tool", "tool_call_id": "c", "name": "t", "content": "done"},
    ]))
    .unwrap();
    let back: MessagesUpdate =
        serde_json::from_value(serde_json::to_value(&update).unwrap()).unwrap();
    assert_eq!(back, update);
    let messages = of(update.items().to_vec());
    let texts: Vec<_> = messages.iter().map(|m| m.text()).collect();
    assert_eq!(texts, ["hello", "hi", "be brief", "two", "done"]);
    assert_eq!(messages.ids()[3].to_string(), "u2");
    for bad in [
        json!([1]),
        json!([{"content": "x"}]),
        json!([{"role": "boss", "content": ""}]),
    ] {
        assert!(serde_json::from_value::<MessagesUpdate>(bad).is_err());
    }
    let _ = Log::Replay(&Default::default());
}
