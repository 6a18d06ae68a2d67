//! Resources and templates.

use mcp_protocol::{ProtocolVersion, Resource, ResourceContents, ResourceTemplate};
use mcp_server::{Context, RequestError, Server, TemplateVars};
use serde_json::json;

use crate::rig::{Client, ERAS, code};

fn server() -> Server {
    Server::builder("resources", "1.0.0")
        .fixed_resource(
            Resource::new("test://text", "text").with_mime_type("text/plain"),
            "fixed",
        )
        .fixed_resource(
            Resource::new("test://bytes", "bytes").with_mime_type("image/png"),
            vec![1_u8, 2],
        )
        .resource(
            Resource::new("test://asked", "asked"),
            |cx: Context| async move { Ok(format!("in {}", cx.version())) },
        )
        .resource(Resource::new("test://gone", "gone"), |_: Context| async {
            Err::<String, _>(RequestError::not_found())
        })
        .resource(
            Resource::new("test://secret", "secret"),
            |_: Context| async {
                let secret = std::io::Error::other("/etc/passwd is not readable");
                Err::<String, _>(secret.into())
            },
        )
        .resource(
            Resource::new("test://panics", "panics"),
            |_: Context| async {
                let nothing: Vec<String> = Vec::new();
                Ok(nothing[0].clone())
            },
        )
        .resource_template(
            ResourceTemplate::new("test://template/{id}/data", "data")
                .with_mime_type("application/json"),
            |vars: TemplateVars, _: Context| async move {
                let id = vars.get("id").unwrap_or_default();
                if id == "0" {
                    return Err(RequestError::not_found());
                }
                Ok(json!({ "id": id }).to_string())
            },
        )
        .unwrap()
        .resource_template(
            ResourceTemplate::new("many://{+rest}", "many"),
            |vars: TemplateVars, _: Context| async move {
                let uri = format!("many://{}", vars.get("rest").unwrap_or_default());
                Ok(vec![
                    ResourceContents::text(&*uri, "one"),
                    ResourceContents::text(&*uri, "two"),
                ])
            },
        )
        .unwrap()
        .build()
}

#[tokio::test]
async fn a_fixed_resource_has_its_text_or_its_bytes() {
    for version in ERAS {
        let client = Client::new(&server(), version);
        let result = client
            .request("resources/read", json!({"uri": "test://text"}))
            .await
            .unwrap();
        let contents = json!([{"uri": "test://text", "mimeType": "text/plain", "text": "fixed"}]);
        assert_eq!(result["contents"], contents);
        let result = client
            .request("resources/read", json!({"uri": "test://bytes"}))
            .await
            .unwrap();
        let contents = json!([{"uri": "test://bytes", "mimeType": "image/png", "blob": "AQI="}]);
        assert_eq!(result["contents"], contents);
    }
}

#[tokio::test]
async fn a_resource_is_read_by_its_closure_each_time() {
    for version in ERAS {
        let client = Client::new(&server(), version);
        let result = client
            .request("resources/read", json!({"uri": "test://asked"}))
            .await
            .unwrap();
        assert_eq!(result["contents"][0]["text"], format!("in {version}"));
    }
}

#[tokio::test]
async fn a_template_is_given_the_variables_of_the_uri() {
    let client = Client::new(&server(), ERAS[0]);
    let uri = "test://template/a%20b/data";
    let result = client
        .request("resources/read", json!({ "uri": uri }))
        .await
        .unwrap();
    assert_eq!(
        result["contents"][0],
        json!({"uri": uri, "mimeType": "application/json", "text": r#"{"id":"a b"}"#})
    );
    let result = client
        .request("resources/read", json!({"uri": "many://a/b"}))
        .await
        .unwrap();
    assert_eq!(result["contents"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn proto_42_a_resource_that_does_not_exist_has_the_error_of_its_revision() {
    for (version, expected) in [
        (ProtocolVersion::V2024_11_05, -32002),
        (ProtocolVersion::V2025_11_25, -32002),
        (ProtocolVersion::V2026_07_28, -32602),
    ] {
        let client = Client::new(&server(), version);
        for uri in [
            "test://nothing",
            "test://gone",
            "test://template/0/data",
            "",
        ] {
            let answer = client
                .request("resources/read", json!({ "uri": uri }))
                .await;
            assert_eq!(code(&answer), expected, "{uri}");
            let data = answer.unwrap_err().data.unwrap();
            assert_eq!(data.get(), json!({ "uri": uri }).to_string());
        }
    }
}

#[tokio::test]
async fn what_fails_inside_is_not_told() {
    let client = Client::new(&server(), ERAS[0]);
    for uri in ["test://secret", "test://panics"] {
        let error = client
            .request("resources/read", json!({ "uri": uri }))
            .await
            .unwrap_err();
        assert_eq!(error.code.0, -32603);
        assert!(!error.to_string().contains("passwd"), "{error}");
        assert!(error.data.is_none());
    }
}

#[tokio::test]
async fn t13_a_hostile_uri_is_refused() {
    let server = Server::builder("exploded", "1.0.0")
        .resource_template(
            ResourceTemplate::new("res://x{/id*}{?tags*}", "x"),
            |vars: TemplateVars, _: Context| async move { Ok(vars.all("id").len().to_string()) },
        )
        .unwrap()
        .build();
    let client = Client::new(&server, ERAS[1]);
    let long = format!("res://x/{}!", "a,".repeat(500_000));
    let answer = client
        .request("resources/read", json!({ "uri": long }))
        .await;
    assert_eq!(code(&answer), -32602);
    let hostile = format!("res://x/{}!?x=1", "a,".repeat(30_000));
    let answer = client
        .request("resources/read", json!({ "uri": hostile }))
        .await;
    assert_eq!(code(&answer), -32602);
}

#[test]
fn a_template_that_is_none_is_refused_when_it_is_registered() {
    let builder = Server::builder("bad", "1.0.0").resource_template(
        ResourceTemplate::new("x:{", "x"),
        |_: TemplateVars, _: Context| async { Ok("") },
    );
    assert_eq!(
        builder.unwrap_err().to_string(),
        "invalid URI template \"x:{\": a `{` is never closed"
    );
}
