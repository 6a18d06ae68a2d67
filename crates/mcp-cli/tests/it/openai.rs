//! `--model openai:NAME` against a fake endpoint on the loopback interface.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::scratch::{Ended, Scratch};

/// Answers as many requests as there are replies; gives back what was asked.
fn endpoint(replies: Vec<Value>) -> (String, JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let answer = |reply: Value| {
            let (mut stream, _) = listener.accept().unwrap();
            let asked = read(&mut stream);
            let body = reply.to_string();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
            asked
        };
        replies.into_iter().map(answer).collect()
    });
    (url, serving)
}

fn read(stream: &mut TcpStream) -> Value {
    let mut text = String::new();
    let mut buffer = [0; 8192];
    loop {
        let n = stream.read(&mut buffer).unwrap();
        text.push_str(std::str::from_utf8(&buffer[..n]).unwrap());
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        if n == 0 || body.len() >= length.unwrap().parse().unwrap() {
            assert!(head.contains("authorization: Bearer key"), "{head}");
            return serde_json::from_str(body).unwrap();
        }
    }
}

fn ask(scratch: &Scratch, url: &str) -> Ended {
    let mut command = scratch.command(&["agent", "What is new?", "--model", "openai:some-model"]);
    command
        .env("OPENAI_BASE_URL", url)
        .env("OPENAI_API_KEY", "key");
    Ended::of(command.output().unwrap())
}

#[test]
fn a_model_calls_tools_in_parallel_and_answers_from_their_results() {
    let scratch = Scratch::new();
    scratch.commit("the first commit");
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let calls = json!([
        call("a", "git__log", "{\"limit\":1}"),
        call("b", "files__read_file", "{\"path\":\"missing\"}"),
        call("c", "no_such_tool", "{}"),
        call("d", "git__log", "{broken"),
    ]);
    let (url, serving) = endpoint(vec![
        json!({"choices": [{"finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": null, "tool_calls": calls}}]}),
        json!({"choices": [{"finish_reason": "stop",
            "message": {"role": "assistant", "content": "There is a first commit."}}]}),
    ]);
    let ended = ask(&scratch, &url);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "There is a first commit.\n"),
        "{ended:?}"
    );
    let asked = serving.join().unwrap();
    let tools: Vec<&str> = asked[0]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["function"]["name"].as_str().unwrap())
        .collect();
    assert!(
        tools.contains(&"git__changes") && tools.contains(&"wiki__search_pages"),
        "{tools:?}"
    );
    let answers: Vec<&Value> = asked[1]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|m| m["role"] == "tool")
        .collect();
    let ids: Vec<&str> = answers
        .iter()
        .map(|m| m["tool_call_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
    let text = |n: usize| answers[n]["content"].as_str().unwrap();
    assert!(text(0).contains("the first commit"), "{}", text(0));
    assert!(text(1).contains("missing does not exist"), "{}", text(1));
    assert!(text(2).contains("no_such_tool"), "{}", text(2));
    assert!(text(3).starts_with("Error"), "{}", text(3));
}

#[test]
fn a_model_that_cannot_be_reached_or_named_is_told() {
    let scratch = Scratch::new();
    let ended = ask(&scratch, "http://127.0.0.1:1/v1");
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{ended:?}");
    assert!(ended.err.contains("127.0.0.1 was not reached"), "{ended:?}");
    let mut command = scratch.command(&["agent", "?", "--model", "openai:some-model"]);
    command
        .env_remove("OPENAI_BASE_URL")
        .env_remove("OPENAI_API_KEY");
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.err.contains("OPENAI_API_KEY") && ended.err.lines().count() == 1,
        "{ended:?}"
    );
    let ended = scratch.mcp(&["agent", "?", "--model", "nobody"]);
    assert_eq!(
        (ended.code, ended.err.lines().count()),
        (Some(2), 1),
        "{ended:?}"
    );
}
