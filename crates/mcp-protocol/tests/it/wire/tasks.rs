//! Tasks in both of their shapes.

use mcp_jsonrpc::{ErrorCode, ErrorObject, RawJson};
use mcp_protocol::{
    Answer, CallToolResult, CancelTaskResult, CreateTaskResult, DetailedTask, ProtocolVersion,
    Task, TaskShape, TaskStatus,
};
use serde_json::json;

use super::{read, round_trip};

#[test]
fn proto_69_a_task_that_has_ended_stays_as_it_is() {
    let ended = [
        TaskStatus::Completed,
        TaskStatus::Failed,
        TaskStatus::Cancelled,
    ];
    let open = [TaskStatus::Working, TaskStatus::InputRequired];
    for status in open.iter().chain(&ended) {
        assert_eq!(status.is_terminal(), ended.contains(status));
        assert!(ended.iter().all(|end| !end.can_become(status)));
        for from in &open {
            assert_eq!(from.can_become(status), from != status);
        }
    }
}

#[test]
fn proto_73_a_new_task_is_written_in_its_shape() {
    let task = Task::new("t", "2025-11-25T10:00:00Z").with_poll_interval(500u64);
    let core = serde_json::to_value(CreateTaskResult::new(task.clone())).unwrap();
    assert_eq!(
        core,
        json!({"task": {
            "taskId": "t",
            "status": "working",
            "createdAt": "2025-11-25T10:00:00Z",
            "lastUpdatedAt": "2025-11-25T10:00:00Z",
            "ttl": null,
            "pollInterval": 500,
        }})
    );
    let task = task.with_shape(TaskShape::Extension).with_ttl(7u64);
    let extension = serde_json::to_value(CreateTaskResult::new(task)).unwrap();
    assert_eq!(
        extension,
        json!({
            "resultType": "task",
            "taskId": "t",
            "status": "working",
            "createdAt": "2025-11-25T10:00:00Z",
            "lastUpdatedAt": "2025-11-25T10:00:00Z",
            "ttlMs": 7,
            "pollIntervalMs": 500,
        })
    );
    for json in [core, extension] {
        assert_eq!(round_trip::<CreateTaskResult>(&json), json);
    }
}

#[test]
fn proto_73_a_task_may_answer_a_call_of_the_extension() {
    let raw = RawJson::parse(
        r#"{"resultType":"task","taskId":"t","status":"working","createdAt":"a",
            "lastUpdatedAt":"a","ttlMs":null}"#,
    )
    .unwrap();
    let Answer::Task(created) = Answer::<CallToolResult>::decode(&raw).unwrap() else {
        panic!("not a task");
    };
    assert_eq!(created.task.shape, TaskShape::Extension);
    assert_eq!(created.task.ttl, None);
}

#[test]
fn proto_75_a_task_carries_what_has_come_of_it() {
    let task = |more: serde_json::Value| {
        let mut json = json!({
            "resultType": "complete",
            "taskId": "t",
            "status": "completed",
            "createdAt": "a",
            "lastUpdatedAt": "b",
            "ttlMs": 60000,
            "priority": "high",
        });
        json.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json
    };
    for json in [
        task(json!({})),
        task(json!({"result": {"content": []}})),
        task(json!({"error": {"code": -32603, "message": "m"}})),
        task(json!({"inputRequests": {"k": {"method": "roots/list"}}})),
    ] {
        assert_eq!(round_trip::<DetailedTask>(&json), json);
    }
    let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "m");
    let text = task(json!({"error": error})).to_string();
    assert_eq!(read::<DetailedTask>(&text).unwrap().error, Some(error));
}

#[test]
fn proto_71_cancelling_gives_the_task_or_nothing() {
    let task = json!({
        "taskId": "t",
        "status": "cancelled",
        "createdAt": "a",
        "lastUpdatedAt": "b",
        "ttl": 60000,
    });
    assert_eq!(round_trip::<CancelTaskResult>(&task), task);
    let nothing = json!({"resultType": "complete"});
    assert_eq!(round_trip::<CancelTaskResult>(&nothing), nothing);
}

#[test]
fn each_revision_has_its_shape() {
    let core = TaskShape::of(ProtocolVersion::V2025_11_25);
    assert_eq!(core, TaskShape::Core);
    let extension = TaskShape::of(ProtocolVersion::V2026_07_28);
    assert_eq!(extension, TaskShape::Extension);
}
