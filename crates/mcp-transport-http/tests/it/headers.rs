//! Header values and what they mirror.

use http::{HeaderMap, HeaderName, HeaderValue};
use mcp_jsonrpc::RawJson;
use mcp_protocol::ParamHeader;
use mcp_protocol::error_code::HEADER_MISMATCH;
use mcp_transport::Mirror;
use mcp_transport_http::headers::{
    check_mirror, check_param_headers, decode_value, encode_value, is_protected, session_id,
    write_mirror,
};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use serde_json::json;

const VECTORS: [(&str, &str); 14] = [
    ("us-west1", "us-west1"),
    (" us-west1 ", "=?base64?IHVzLXdlc3QxIA==?="),
    ("日本語", "=?base64?5pel5pys6Kqe?="),
    ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
    ("\tindented", "=?base64?CWluZGVudGVk?="),
    ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ("us west 1", "us west 1"),
    ("42", "42"),
    ("true", "true"),
    ("", ""),
    ("a\tb", "=?base64?YQli?="),
    ("a\r\nb", "=?base64?YQ0KYg==?="),
    ("\u{7F}", "=?base64?fw==?="),
    ("=?BASE64?x?=", "=?BASE64?x?="),
];

#[test]
fn http_32_every_vector_of_the_value_encoding() {
    for (text, value) in VECTORS {
        assert_eq!(encode_value(text), value, "{text:?}");
        assert_eq!(
            decode_value(&HeaderValue::from_static(value)).unwrap(),
            text
        );
    }
}

proptest! {
    #[test]
    fn http_32_any_text_survives_and_is_a_valid_value(text in any::<String>()) {
        let value = encode_value(&text);
        prop_assert!(value.to_str().is_ok());
        prop_assert_eq!(decode_value(&value).unwrap(), text);
    }
}

#[test]
fn http_33_bad_base64_is_refused_and_other_markers_are_literal() {
    for bad in [
        "=?base64?SGVsbG8?=",
        "=?base64?SGVs!!!bG8=?=",
        "=?base64?/w==?=",
    ] {
        assert!(
            decode_value(&HeaderValue::from_static(bad)).is_err(),
            "{bad}"
        );
    }
    for literal in [
        "=?base64?SGVsbG8=",
        "SGVsbG8=?=",
        "=?BASE64?SGVsbG8=?=",
        "=?base64?=",
    ] {
        assert_eq!(
            decode_value(&HeaderValue::from_static(literal)).unwrap(),
            literal
        );
    }
    assert_eq!(
        decode_value(&HeaderValue::from_static(" \t x \t")).unwrap(),
        "x"
    );
}

fn map(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    let pair = |(name, value): &(&'static str, &'static str)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    };
    let mut headers = HeaderMap::new();
    for (name, value) in pairs.iter().map(pair) {
        headers.append(name, value);
    }
    headers
}

#[test]
fn http_31_method_and_name_must_say_what_the_body_says() {
    let params = RawJson::parse(r#"{"name":"b\u0061r","arguments":{}}"#).unwrap();
    let check = |pairs: &[(&'static str, &'static str)]| {
        check_mirror(&map(pairs), "tools/call", Some(&params))
    };
    check(&[("mcp-method", "tools/call"), ("mcp-name", "bar")]).unwrap();
    check(&[
        ("mcp-method", "tools/call"),
        ("mcp-name", "=?base64?YmFy?="),
    ])
    .unwrap();
    check(&[("mcp-method", "  tools/call "), ("mcp-name", " bar ")]).unwrap();
    let refused: [&[(&str, &str)]; 7] = [
        &[("mcp-name", "bar")],
        &[("mcp-method", "tools/call")],
        &[("mcp-method", "TOOLS/CALL"), ("mcp-name", "bar")],
        &[("mcp-method", "tools/list"), ("mcp-name", "bar")],
        &[("mcp-method", "tools/call"), ("mcp-name", "foo")],
        &[("mcp-method", "tools/call"), ("mcp-name", "=?base64?YmF?=")],
        &[
            ("mcp-method", "tools/call"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "bar"),
        ],
    ];
    for pairs in refused {
        assert_eq!(check(pairs).unwrap_err().code, HEADER_MISMATCH, "{pairs:?}");
    }
    let uri = RawJson::parse(r#"{"uri":"file:///a b"}"#).unwrap();
    let headers = map(&[
        ("mcp-method", "resources/read"),
        ("mcp-name", "file:///a b"),
    ]);
    check_mirror(&headers, "resources/read", Some(&uri)).unwrap();
    check_mirror(&map(&[("mcp-method", "tools/list")]), "tools/list", None).unwrap();
}

fn marked() -> Vec<ParamHeader> {
    let param = |name: &str, path: &[&str]| {
        ParamHeader::new(name, path.iter().map(|&p| p.to_owned()).collect())
    };
    vec![
        param("Region", &["region"]),
        param("N", &["deep", "n"]),
        param("Dry", &["dry"]),
    ]
}

#[test]
fn http_36_an_argument_needs_its_header_and_a_header_its_argument() {
    let arguments = json!({"region": "eu", "deep": {"n": 42}, "dry": null});
    let check = |pairs: &[(&'static str, &'static str)]| {
        check_param_headers(&map(pairs), &marked(), &arguments)
    };
    check(&[("mcp-param-region", "eu"), ("mcp-param-n", "42")]).unwrap();
    check(&[
        ("mcp-param-region", "eu"),
        ("mcp-param-n", "42"),
        ("mcp-param-other", "x"),
    ])
    .unwrap();
    let refused: [&[(&str, &str)]; 3] = [
        &[("mcp-param-region", "eu")],
        &[("mcp-param-region", "us"), ("mcp-param-n", "42")],
        &[
            ("mcp-param-region", "eu"),
            ("mcp-param-n", "42"),
            ("mcp-param-dry", "true"),
        ],
    ];
    for pairs in refused {
        assert_eq!(check(pairs).unwrap_err().code, HEADER_MISMATCH, "{pairs:?}");
    }
    let literal = json!({"region": "=?base64?SGVsbG8="});
    check_param_headers(
        &map(&[("mcp-param-region", "=?base64?SGVsbG8=")]),
        &marked(),
        &literal,
    )
    .unwrap();
}

#[test]
fn http_37_integers_compare_as_numbers() {
    let n = vec![ParamHeader::new("N", vec!["n".to_owned()])];
    let check = |text: &'static str, n_value: serde_json::Value| {
        check_param_headers(&map(&[("mcp-param-n", text)]), &n, &json!({ "n": n_value })).is_ok()
    };
    assert!(check("42.0", json!(42)) && check("42", json!(42.0)) && check("-1", json!(-1)));
    assert!(!check("43", json!(42)) && !check("", json!(42)) && !check("NaN", json!(42)));
    assert!(!check("9007199254740993", json!(9_007_199_254_740_995_i64)));
}

#[test]
fn http_30_requests_of_2026_07_28_name_version_method_and_subject() {
    let mut mirror = Mirror::default();
    let mut headers = HeaderMap::new();
    write_mirror(&mut headers, "tools/call", &mirror);
    assert!(headers.is_empty());

    mirror.version = Some("2026-07-28");
    mirror.name = Some("größe".to_owned());
    mirror.params = vec![
        ("Method".to_owned(), "x".to_owned()),
        ("bad name".to_owned(), "x".to_owned()),
        ("Empty".to_owned(), String::new()),
    ];
    write_mirror(&mut headers, "tools/call", &mirror);
    assert_eq!(headers["mcp-protocol-version"], "2026-07-28");
    assert_eq!(headers["mcp-method"], "tools/call");
    assert_eq!(decode_value(&headers["mcp-name"]).unwrap(), "größe");
    assert_eq!(headers["mcp-param-method"], "x");
    assert_eq!(headers["mcp-param-empty"], "");
    assert_eq!(headers.len(), 5);
}

#[test]
fn int_04_headers_of_the_protocol_are_protected() {
    for name in [
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-param-x",
        "mcp-session-id",
        "accept",
        "content-type",
        "content-length",
        "host",
        "last-event-id",
    ] {
        assert!(is_protected(&HeaderName::from_static(name)), "{name}");
    }
    assert!(!is_protected(&http::header::AUTHORIZATION));
    assert!(!is_protected(&HeaderName::from_static("x-api-key")));
}

#[test]
fn http_13_a_session_id_is_visible_ascii() {
    assert_eq!(session_id(&HeaderValue::from_static("a!~Z")), Some("a!~Z"));
    for bad in ["", "a b", "a\tb"] {
        assert_eq!(session_id(&HeaderValue::from_static(bad)), None, "{bad:?}");
    }
    assert_eq!(
        session_id(&HeaderValue::from_bytes(b"a\x80").unwrap()),
        None
    );
}
