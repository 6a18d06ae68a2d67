//! The messages of a call, in the order and with the members that our client and server write.

use std::borrow::Cow;

use harness::Era;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

/// What a reference does with each message.
#[derive(Clone, Copy, Debug)]
pub struct Codec {
    /// `serde`; else `raw`.
    pub typed: bool,
    pub era: Era,
}

#[derive(Serialize, Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    id: u64,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Serialize, Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: &'a RawValue,
    #[serde(rename = "_meta", borrow)]
    meta: RequestMeta<'a>,
}

#[derive(Serialize, Deserialize)]
struct RequestMeta<'a> {
    #[serde(rename = "progressToken")]
    token: u64,
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", borrow)]
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Cow<'a, str>>,
    #[serde(rename = "io.modelcontextprotocol/clientInfo", borrow)]
    #[serde(skip_serializing_if = "Option::is_none")]
    info: Option<Implementation<'a>>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Capabilities>,
}

#[derive(Serialize, Deserialize)]
struct Implementation<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    version: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
struct Capabilities {}

#[derive(Serialize, Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    id: u64,
    #[serde(borrow)]
    result: Outcome<'a>,
}

#[derive(Serialize, Deserialize)]
struct Outcome<'a> {
    #[serde(rename = "resultType", borrow)]
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Vec<Block<'a>>,
    #[serde(rename = "_meta", borrow)]
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<ResultMeta<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
struct ResultMeta<'a> {
    #[serde(rename = "io.modelcontextprotocol/serverInfo", borrow)]
    info: Implementation<'a>,
}

impl Codec {
    /// Writes a request whose argument the caller owns.
    pub fn request(self, id: u64, text: &str, out: &mut Vec<u8>) {
        let stateless = self.era == Era::Stateless;
        if !self.typed {
            let context = if stateless {
                ",\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
                 \"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":\"1\"},\
                 \"io.modelcontextprotocol/clientCapabilities\":{}"
            } else {
                ""
            };
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":\
                 {{\"name\":\"echo\",\"arguments\":{{\"message\":\"{text}\"}},\"_meta\":\
                 {{\"progressToken\":{id}{context}}}}}}}"
            );
            return out.extend_from_slice(line.as_bytes());
        }
        let owned = text.to_owned();
        let arguments = to_raw_value(&Arguments {
            message: owned.into(),
        })
        .expect("arguments");
        let request = Request {
            jsonrpc: "2.0".into(),
            id,
            method: "tools/call".into(),
            params: Params {
                name: "echo".into(),
                arguments: &arguments,
                meta: RequestMeta {
                    token: id,
                    version: stateless.then(|| "2026-07-28".into()),
                    info: stateless.then(|| implementation("bench")),
                    capabilities: stateless.then_some(Capabilities {}),
                },
            },
        };
        serde_json::to_writer(out, &request).expect("a request");
    }

    /// Answers a request.
    pub fn answer(self, request: &[u8], out: &mut Vec<u8>) {
        if !self.typed {
            return out.extend_from_slice(request);
        }
        let request: Request<'_> = serde_json::from_slice(request).expect("a request");
        assert_eq!(request.method, "tools/call");
        assert_eq!(request.params.name, "echo");
        let arguments: Arguments<'_> =
            serde_json::from_str(request.params.arguments.get()).expect("arguments");
        let stateless = request.params.meta.version.is_some();
        let owned: String = arguments.message.into_owned();
        let response = Response {
            jsonrpc: "2.0".into(),
            id: request.id,
            result: Outcome {
                kind: stateless.then(|| "complete".into()),
                content: vec![Block {
                    kind: "text".into(),
                    text: owned.into(),
                }],
                meta: stateless.then(|| ResultMeta {
                    info: implementation("echo"),
                }),
            },
        };
        serde_json::to_writer(out, &response).expect("a response");
    }

    /// Reads an answer to a text that the caller owns; checks its length.
    pub fn read(self, answer: &[u8], size: usize) {
        if !self.typed {
            return assert!(answer.len() > size);
        }
        let response: Response<'_> = serde_json::from_slice(answer).expect("a response");
        let block = response
            .result
            .content
            .into_iter()
            .next()
            .expect("one block");
        let owned: String = block.text.into_owned();
        assert_eq!(owned.len(), size);
    }
}

fn implementation(name: &'static str) -> Implementation<'static> {
    Implementation {
        name: name.into(),
        version: "1".into(),
    }
}
