//! Lists decode element by element.

use mcp_protocol::{
    Cursor, ListPromptsResult, ListResourcesResult, ListRootsResult, ListTasksResult,
    ListToolsResult, PaginatedParams,
};
use serde_json::json;

use super::{read, round_trip};

#[test]
fn t05_one_bad_tool_leaves_the_others_usable_and_is_named() {
    let list: ListToolsResult = read(
        r#"{"tools":[null,{"name":"a"},{"name":"b","inputSchema":null},
            {"name":"c","inputSchema":{"type":"object"},"description":null,"annotations":null}]}"#,
    )
    .unwrap();
    let names: Vec<_> = list.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["c"]);
    assert_eq!(list.skipped.len(), 3);
    assert!(
        list.skipped[0].starts_with("element 0: "),
        "{:?}",
        list.skipped
    );
    assert!(list.skipped[1].contains(r#"("a"): missing field `inputSchema`"#));
    assert!(list.skipped[2].contains(r#"element 2 ("b"): "#));
}

#[test]
fn t05_a_schema_that_is_no_object_makes_a_bad_tool() {
    for schema in ["true", "[]", r#""object""#, "7"] {
        let text = format!(r#"{{"tools":[{{"name":"a","inputSchema":{schema}}}]}}"#);
        let list: ListToolsResult = read(&text).unwrap();
        assert_eq!((list.tools.len(), list.skipped.len()), (0, 1), "{schema}");
    }
}

#[test]
fn t05_a_missing_list_is_an_error_and_not_an_empty_one() {
    for text in [
        "{}",
        r#"{"tools":null}"#,
        r#"{"tools":{}}"#,
        r#"{"Tools":[]}"#,
    ] {
        assert!(read::<ListToolsResult>(text).is_err(), "{text}");
    }
    assert!(read::<ListPromptsResult>("{}").is_err());
    assert!(read::<ListResourcesResult>("{}").is_err());
    assert!(read::<ListRootsResult>("{}").is_err());
    assert!(read::<ListTasksResult>("{}").is_err());
}

#[test]
fn t05_what_was_skipped_is_not_written_and_its_report_is_bounded() {
    let bad = vec!["null"; 100_000].join(",");
    let list: ListToolsResult = read(&format!(r#"{{"tools":[{bad}]}}"#)).unwrap();
    assert_eq!(list.skipped.len(), 64);
    assert_eq!(list.skipped[63], "and 99937 more");
    assert_eq!(serde_json::to_value(&list).unwrap(), json!({"tools": []}));
    let name = "n".repeat(1_000_000);
    let list: ListToolsResult = read(&format!(r#"{{"tools":[{{"name":"{name}"}}]}}"#)).unwrap();
    assert!(list.skipped[0].len() < 200);
}

#[test]
fn t05_a_list_also_decodes_from_a_tree() {
    let json = json!({"tools": [{"name": "a", "inputSchema": {}}, 7], "nextCursor": "x"});
    let list: ListToolsResult = serde_json::from_value(json).unwrap();
    assert_eq!((list.tools.len(), list.skipped.len()), (1, 1));
}

#[test]
fn proto_26_an_empty_cursor_is_a_cursor_and_null_is_the_end() {
    let next = |text: &str| read::<ListToolsResult>(text).unwrap().next_cursor;
    assert_eq!(
        next(r#"{"tools":[],"nextCursor":""}"#),
        Some(Cursor::new(""))
    );
    assert_eq!(next(r#"{"tools":[],"nextCursor":null}"#), None);
    assert_eq!(next(r#"{"tools":[]}"#), None);
    let params = json!({"cursor": ""});
    assert_eq!(round_trip::<PaginatedParams>(&params), params);
}
