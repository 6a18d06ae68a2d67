//! Bytes to lines, however they are split.

use mcp_jsonrpc::{DecodeError, Frame, Line, LineDecoder, Message};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof, proptest};

/// Feeds the chunks one by one and ends the stream.
fn lines<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Line> {
    let mut decoder = LineDecoder::new(limit);
    let mut lines = Vec::new();
    for chunk in chunks {
        decoder.buffer().extend_from_slice(chunk);
        lines.extend(std::iter::from_fn(|| decoder.next_line()));
    }
    lines.extend(decoder.finish());
    assert_eq!(decoder.finish(), None);
    lines
}

fn texts(input: &[u8]) -> Vec<String> {
    lines(LineDecoder::DEFAULT_LIMIT, [input])
        .into_iter()
        .map(|line| match line {
            Line::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
            other => panic!("{other:?}"),
        })
        .collect()
}

/// `None` for a line that is too long.
fn contents(lines: Vec<Line>) -> Vec<Option<Vec<u8>>> {
    lines
        .into_iter()
        .map(|line| match line {
            Line::Text(text) => Some(text.to_vec()),
            _ => None,
        })
        .collect()
}

/// What the decoder must yield, written down the slow way.
fn expected(limit: usize, input: &[u8]) -> Vec<Option<Vec<u8>>> {
    input
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(input)
        .split(|b| *b == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| line.len() > limit || !line.trim_ascii().is_empty())
        .map(|line| (line.len() <= limit).then(|| line.to_vec()))
        .collect()
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        r#"\{"jsonrpc":"2.0","id":[0-9]{1,3},"method":"[a-zé\u{2028}]{0,9}"\}"#,
        "[ \t\r]{0,4}",
        "\u{feff}?[a-z]{0,90}\r?",
    ];
    prop_oneof![text.prop_map(String::into_bytes), vec(any::<u8>(), 0..90)]
}

proptest! {
    #[test]
    fn j12_every_split_of_a_stream_yields_the_same_lines(
        bom in any::<bool>(),
        input in vec(any_line(), 0..8),
        limit in 1_usize..80,
        ends in any::<bool>(),
    ) {
        let mut bytes = if bom { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
        bytes.extend(input.join(&b'\n'));
        if ends {
            bytes.push(b'\n');
        }
        let expected = expected(limit, &bytes);
        assert_eq!(contents(lines(limit, [&bytes[..]])), expected);
        for at in 0..=bytes.len() {
            let (a, b) = bytes.split_at(at);
            assert_eq!(contents(lines(limit, [a, b])), expected, "split at {at}");
        }
        assert_eq!(contents(lines(limit, bytes.chunks(1))), expected);
        assert_eq!(contents(lines(limit, bytes.chunks(7))), expected);
    }

    #[test]
    fn whatever_comes_in_is_a_frame_or_a_flaw(input in vec(any_line(), 0..8)) {
        for line in lines(64, [&input.join(&b'\n')[..]]) {
            match line.decode(64) {
                Ok(Frame::Single(message)) => {
                    assert_eq!(Message::decode(message.encode().into()).unwrap(), message);
                }
                Ok(Frame::Batch(elements)) => assert!(!elements.is_empty()),
                Err(flaw) => assert!(flaw.reply().is_some() || flaw.answers().is_none()),
            }
        }
    }
}

#[test]
fn j12_one_carriage_return_before_the_line_end_is_dropped() {
    assert_eq!(texts(b"{}\r\n\r\n[]\r\r\n1"), ["{}", "[]\r", "1"]);
}

#[test]
fn j12_a_byte_order_mark_is_dropped_before_the_first_line_only() {
    assert_eq!(
        texts(b"\xEF\xBB\xBF{}\n\xEF\xBB\xBF[]\n"),
        ["{}", "\u{feff}[]"]
    );
    assert_eq!(texts(b"\xEF\xBB\xBF\n{}"), ["{}"]);
}

#[test]
fn j12_only_0x0a_ends_a_line() {
    let line = "{\"u\":\"\u{2028}\u{2029}\u{85}\u{b}\u{c}\"}";
    assert_eq!(
        texts(format!("{line}\r\n{line}\n").as_bytes()),
        [line, line]
    );
}

#[test]
fn j12_a_line_with_bad_utf_8_spoils_no_other() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let mut decoder = LineDecoder::new(1000);
    decoder
        .buffer()
        .extend_from_slice(b"{\"u\":\"\xff\xfe\"}\n");
    decoder
        .buffer()
        .extend_from_slice(format!("{ping}\n").as_bytes());
    assert!(matches!(
        decoder.next_frame(),
        Some(Err(DecodeError::Syntax { .. }))
    ));
    assert!(matches!(
        decoder.next_frame(),
        Some(Ok(Frame::Single(Message::Request(_))))
    ));
}

#[test]
fn s08_a_line_of_the_limit_passes_and_one_byte_more_does_not() {
    assert_eq!(LineDecoder::DEFAULT_LIMIT, 32 << 20);
    for (end, extra) in [
        (&b"\n"[..], 0),
        (b"\r\n", 0),
        (b"", 0),
        (b"\n", 1),
        (b"", 1),
    ] {
        let mut input = vec![b'1'; 1000 + extra];
        input.extend_from_slice(end);
        let lines = lines(1000, input.chunks(300));
        assert_eq!(matches!(lines[..], [Line::Text(_)]), extra == 0);
        assert_eq!(matches!(lines[..], [Line::TooLong(_)]), extra == 1);
    }
}

#[test]
fn rpc_26_s08_an_endless_line_costs_no_memory_and_the_next_one_is_read() {
    const LIMIT: usize = 1 << 20;
    let mut decoder = LineDecoder::new(LIMIT);
    let chunk = [b'A'; 64 * 1024];
    for _ in 0..1024 {
        decoder.buffer().extend_from_slice(&chunk);
        assert_eq!(decoder.next_line(), None);
        assert!(decoder.buffer().capacity() <= 3 * LIMIT);
    }
    decoder.buffer().extend_from_slice(b"\n{}\n");
    assert!(matches!(decoder.next_line(), Some(Line::TooLong(_))));
    assert_eq!(decoder.next_line(), Some(Line::Text("{}".into())));
    assert_eq!(decoder.next_line(), None);
    assert!(decoder.buffer().capacity() <= 128 * 1024);
}

#[test]
fn messages_that_are_kept_cost_no_buffer_each() {
    let mut decoder = LineDecoder::new(LineDecoder::DEFAULT_LIMIT);
    let mut kept = Vec::new();
    for _ in 0..60 {
        decoder.buffer().extend_from_slice(&[b'1'; 99]);
        decoder.buffer().extend_from_slice(b"\n");
        kept.extend(decoder.next_line());
    }
    let start = |line: &Line| match line {
        Line::Text(text) => text.as_ptr(),
        other => panic!("{other:?}"),
    };
    let first = start(&kept[0]);
    assert!(
        kept.iter()
            .enumerate()
            .all(|(n, line)| start(line) == first.wrapping_add(n * 100))
    );
}

#[test]
fn the_room_for_a_long_line_is_given_back() {
    let mut decoder = LineDecoder::new(LineDecoder::DEFAULT_LIMIT);
    for _ in 0..50 {
        decoder.buffer().extend_from_slice(&[b'1'; 64 * 1024]);
        assert_eq!(decoder.next_line(), None);
    }
    decoder.buffer().extend_from_slice(b"\n");
    assert!(matches!(decoder.next_line(), Some(Line::Text(text)) if text.len() == 50 * 64 * 1024));
    assert!(decoder.buffer().capacity() <= 128 * 1024);
}

/// The flaw that a message beyond the limit decodes to.
fn too_long(text: &str) -> DecodeError {
    let text = format!("{text}\n");
    let mut lines = lines(100, text.as_bytes().chunks(33));
    lines.remove(0).decode(100).unwrap_err()
}

#[test]
fn s08_the_id_of_a_message_that_is_too_long_is_found_at_either_end() {
    let long = "y".repeat(1000);
    let request = format!(r#"{{"jsonrpc":"2.0","id":"a","method":"m","params":{{"k":"{long}"}}}}"#);
    let (id, error) = too_long(&request).reply().unwrap();
    assert_eq!((id, error.code.0), (Some("a".into()), -32600));
    let head = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"k":"{long}"}}}}"#);
    let tail = format!(r#"{{"result":{{"k":["{long}"]}},"jsonrpc":"2.0","id":7}}"#);
    for response in [head, tail] {
        let flaw = too_long(&response);
        assert_eq!(
            (flaw.answers(), flaw.reply()),
            (Some(&7.into()), None),
            "{response}"
        );
    }
}

#[test]
fn s08_an_id_inside_the_payload_is_not_the_messages_own() {
    let long = "y".repeat(1000);
    for text in [
        format!(r#"{{"result":{{"id":7,"k":"{long}"}}}}"#),
        format!(r#"{{"result":{{"k":"{long}","id":7}}}}"#),
        format!(r#"{{"result":{{"k":"{long}"}},"z":[{{"id":7}}]}}"#),
        format!(r#"{{"result":"{long}\"id\":7}}"}}"#),
        format!(r#"{{"result":"{long}","z":"id"}}"#),
        // Cut off in the middle of the number.
        format!(
            r#"{{"result":"{}","id":1{}"#,
            "y".repeat(236),
            "1".repeat(1000)
        ),
    ] {
        assert_eq!(too_long(&text).answers(), None, "{text}");
    }
}
