//! Content blocks: the order of their members does not matter, their kinds do.

use mcp_protocol::{
    AudioContent, BlobResourceContents, ContentBlock, ImageContent, ProtocolVersion, Resource,
    ResourceContents, SamplingMessageContentBlock,
};
use proptest::prelude::*;
use proptest::sample::subsequence;
use serde_json::{Value, json};

use super::read;

/// An object with its members in this order.
fn object(members: &[(&str, Value)]) -> String {
    let members = members
        .iter()
        .map(|(key, value)| format!("{key:?}:{value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn blocks() -> Vec<Vec<(&'static str, Value)>> {
    vec![
        vec![
            ("type", json!("text")),
            ("text", json!("häl\"lo")),
            ("annotations", json!({"priority": 0.5})),
            ("_meta", json!({"example.com/a": [1, {"b": null}]})),
            ("later", json!({"c": [1.5, "d"]})),
        ],
        vec![
            ("type", json!("image")),
            ("data", json!("aGk=")),
            ("mimeType", json!("image/png")),
            ("later", json!(null)),
        ],
        vec![
            ("type", json!("audio")),
            ("data", json!("aGk=")),
            ("mimeType", json!("audio/wav")),
        ],
        vec![
            ("type", json!("resource_link")),
            ("uri", json!("a:b")),
            ("name", json!("b")),
            ("size", json!(7)),
        ],
        vec![
            ("type", json!("resource")),
            ("resource", json!({"uri": "a:b", "text": "c"})),
            ("annotations", json!({"audience": ["user"]})),
        ],
        vec![
            ("type", json!("hologram")),
            ("depth", json!({"mm": [1, 2]})),
            ("x", json!(-1)),
        ],
    ]
}

proptest! {
    #[test]
    fn t01_a_block_is_the_same_whatever_the_order_of_its_members(
        (first, shuffled) in prop::sample::select(blocks())
            .prop_flat_map(|block| (Just(block.clone()), Just(block).prop_shuffle())),
    ) {
        let one: ContentBlock = read(&object(&first)).unwrap();
        let other: ContentBlock = read(&object(&shuffled)).unwrap();
        prop_assert_eq!(&one, &other);
        let back = serde_json::to_string(&one).unwrap();
        let back: Value = serde_json::from_str(&back).unwrap();
        prop_assert_eq!(back, serde_json::from_str::<Value>(&object(&shuffled)).unwrap());
    }

    #[test]
    fn t01_parts_of_a_block_never_panic(
        part in prop::sample::select(blocks())
            .prop_flat_map(|block| { let n = block.len(); subsequence(block, 0..=n) }),
    ) {
        let text = object(&part);
        let _ = read::<ContentBlock>(&text);
        let _ = read::<SamplingMessageContentBlock>(&text);
        let _ = read::<ResourceContents>(&text);
    }
}

#[test]
fn bytes_travel_as_base64_and_bad_base64_is_an_error() {
    let bytes = [0, 255, 7];
    assert_eq!(
        ImageContent::from_bytes(bytes, "image/png")
            .bytes()
            .unwrap(),
        bytes
    );
    assert_eq!(
        AudioContent::from_bytes(bytes, "audio/wav")
            .bytes()
            .unwrap(),
        bytes
    );
    assert_eq!(
        BlobResourceContents::from_bytes("a:b", bytes)
            .bytes()
            .unwrap(),
        bytes
    );
    assert!(ImageContent::new("!", "image/png").bytes().is_err());
}

#[test]
fn contents_without_text_and_blob_are_an_error() {
    for text in [
        r#"{"uri":"a:b"}"#,
        r#"{"uri":"a:b","text":null}"#,
        r#"{"text":"a"}"#,
    ] {
        assert!(read::<ResourceContents>(text).is_err(), "{text}");
    }
    let contents: ResourceContents = read(r#"{"uri":"a:b","text":"","blob":null}"#).unwrap();
    assert_eq!(contents.as_text(), Some(""));
}

#[test]
fn proto_45_kinds_that_a_revision_lacks_become_what_it_has() {
    let audio = || ContentBlock::audio([1, 2], "audio/wav");
    let link = || ContentBlock::resource_link(Resource::new("a:b", "book"));
    let fitted = |mut block: ContentBlock, version| {
        block.fit_to(version);
        block.kind().to_owned()
    };
    let kinds = |version| (fitted(audio(), version), fitted(link(), version));
    let same = ("audio".to_owned(), "resource_link".to_owned());
    assert_eq!(kinds(ProtocolVersion::V2025_06_18), same);
    assert_eq!(
        kinds(ProtocolVersion::V2025_03_26),
        ("audio".to_owned(), "text".to_owned())
    );
    assert_eq!(
        kinds(ProtocolVersion::V2024_11_05),
        ("resource".to_owned(), "text".to_owned())
    );
    let mut block = audio();
    block.fit_to(ProtocolVersion::V2024_11_05);
    let ContentBlock::Resource(resource) = block else {
        panic!("{block:?}");
    };
    assert_eq!(resource.resource.mime_type(), Some("audio/wav"));
}
