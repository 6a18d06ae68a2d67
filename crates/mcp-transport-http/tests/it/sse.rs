//! The event codec: whatever the cut, the same events.

use std::time::Duration;

use mcp_jsonrpc::{Message, RawJson, Response};
use mcp_transport_http::sse::{Decoder, encode_message, encode_priming};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert_eq, prop_oneof, proptest};

/// Name and data of each event, then last id and retry.
type Read = (
    Vec<(Option<String>, String)>,
    Option<String>,
    Option<Duration>,
);

fn read(chunks: &[&[u8]]) -> Read {
    let mut decoder = Decoder::new(1 << 20);
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.feed(chunk);
        while let Some(event) = decoder.next_event().unwrap() {
            events.push((event.name, String::from_utf8(event.data.to_vec()).unwrap()));
        }
    }
    (
        events,
        decoder.last_event_id().map(str::to_owned),
        decoder.retry(),
    )
}

fn data_of(text: &str) -> Vec<String> {
    read(&[text.as_bytes()])
        .0
        .into_iter()
        .map(|(_, data)| data)
        .collect()
}

const WILD: &str = "\u{FEFF}id: 1\nretry: 30\ndata:\n\n: keep\r\n\r\nevent: message\r\
    data:{\"jsonrpc\":\"2.0\",\rdata: \"id\":1,\"result\":{\"t\":\"世🌍\"}}\r\r";

#[test]
fn h10_one_message_whatever_the_cut() {
    let whole = read(&[WILD.as_bytes()]);
    assert_eq!(whole.0.len(), 1);
    assert_eq!(whole.1.as_deref(), Some("1"));
    assert_eq!(whole.2, Some(Duration::from_millis(30)));
    let message = Message::decode(whole.0[0].1.clone().into_bytes().into()).unwrap();
    assert!(matches!(message, Message::Response(r) if r.id == Some(1.into())));
    for a in 0..WILD.len() {
        for b in a..WILD.len() {
            let bytes = WILD.as_bytes();
            assert_eq!(read(&[&bytes[..a], &bytes[a..b], &bytes[b..]]), whole);
        }
    }
}

#[test]
fn http_49_line_ends_comments_joined_data_and_unknown_fields() {
    assert_eq!(
        data_of("data: a\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n"),
        ["a\nb", "c", "d"]
    );
    assert_eq!(data_of(":data: x\nfoo: bar\nfoo\ndata:  two\n\n"), [" two"]);
    assert_eq!(data_of("data\ndata\n\n"), ["\n"]);
    assert_eq!(data_of("data: unfinished"), Vec::<String>::new());
    assert_eq!(data_of("data: unfinished\n"), Vec::<String>::new());
}

#[test]
fn http_48_an_event_with_empty_data_is_not_handed_out_but_its_id_is_kept() {
    let (events, id, retry) = read(&[b"id: a-1\nretry: 500\ndata: \n\nid: b\n\n"]);
    assert!(events.is_empty());
    assert_eq!(
        (id.as_deref(), retry),
        (Some("b"), Some(Duration::from_millis(500)))
    );
}

#[test]
fn h10_id_and_retry_take_only_what_the_format_allows() {
    assert_eq!(read(&[b"id: a\n\nid: b\0c\n\n"]).1.as_deref(), Some("a"));
    assert_eq!(
        read(&[b"id: a\n\nid: unfinished\n"]).1.as_deref(),
        Some("a")
    );
    assert_eq!(read(&[b"id: a\n\nid\n\n"]).1, None);
    for bad in [
        "retry: 1x\n\n",
        "retry: -1\n\n",
        "retry:\n\n",
        "retry: 99999999999999999999\n\n",
    ] {
        assert_eq!(read(&[bad.as_bytes()]).2, None, "{bad:?}");
    }
}

#[test]
fn h13_a_line_or_an_event_over_the_limit_is_an_error_and_memory_stays_bounded() {
    let mut decoder = Decoder::new(64);
    decoder.feed(&[b'x'; 65]);
    assert_eq!(decoder.next_event().unwrap_err().limit, 64);

    let mut decoder = Decoder::new(64);
    let mut failed = false;
    for _ in 0..100 {
        decoder.feed(b"data: 0123456789\n");
        failed |= decoder.next_event().is_err();
        if failed {
            break;
        }
    }
    assert!(failed);
}

#[test]
fn h13_five_mebibytes_on_one_line_are_read() {
    let long = "a".repeat(5 << 20);
    let mut decoder = Decoder::new(16 << 20);
    for chunk in format!("data: {long}\n\n").as_bytes().chunks(8192) {
        decoder.feed(chunk);
    }
    assert_eq!(decoder.next_event().unwrap().unwrap().data, long);
}

#[test]
fn what_is_encoded_is_decoded() {
    let message = Message::from(Response::new(
        Some(7.into()),
        Ok(RawJson::parse("{\n\"a\":\r\n1}").unwrap()),
    ));
    let mut out = Vec::new();
    encode_priming("3-0", Some(Duration::from_millis(1500)), &mut out);
    encode_message(Some("3-1"), &message, &mut out);
    let (events, id, retry) = read(&[&out]);
    let expected = (
        Some("message".to_owned()),
        String::from_utf8(message.encode()).unwrap(),
    );
    assert_eq!(events, [expected]);
    assert_eq!(
        (id.as_deref(), retry),
        (Some("3-1"), Some(Duration::from_millis(1500)))
    );
}

proptest! {
    #[test]
    fn h10_any_bytes_cut_anywhere_give_the_same_events(
        text in vec(
            prop_oneof![
                proptest::sample::select(vec![
                    "data: ", "data", "data:", "id: ", "event: ", "retry: 5", ":", "\n", "\r", "\r\n",
                    "\n\n", "x", "{}", "\0", "\u{FEFF}", "世",
                ]).prop_map(|s| s.as_bytes().to_vec()),
                vec(any::<u8>(), 0..4),
            ],
            0..40,
        ),
        cuts in vec(any::<proptest::sample::Index>(), 0..12),
    ) {
        let bytes: Vec<u8> = text.concat();
        let lossy = |chunks: &[&[u8]]| {
            let mut decoder = Decoder::new(1 << 20);
            let mut events = Vec::new();
            for chunk in chunks {
                decoder.feed(chunk);
                while let Some(event) = decoder.next_event().unwrap() {
                    events.push(event);
                }
            }
            (events, decoder.last_event_id().map(str::to_owned), decoder.retry())
        };
        let mut at: Vec<usize> = cuts.iter().map(|c| c.index(bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        let chunks: Vec<&[u8]> = at.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
        prop_assert_eq!(lossy(&chunks), lossy(&[&bytes]));
    }
}
