//! The pair in memory, seen from outside.

use mcp_jsonrpc::{DecodeError, Frame, Message, Notification, Packet, RawJson, Request, Response};
use mcp_transport::{
    CallError, Delivery, Frames, Reader, Rejection, TransportErrorKind, Writer, memory,
};

fn request(id: i64) -> Message {
    Request::new(id, "ping", None).into()
}

#[tokio::test]
async fn both_directions_carry_messages_in_order() {
    let ((mut ra, mut wa), (mut rb, mut wb)) = memory(8);
    for id in 1..=3 {
        wa.feed(&request(id).into());
    }
    assert!(wa.pending() > 0);
    wa.flush().await.unwrap();
    assert_eq!(wa.pending(), 0);
    let mut frames = Frames::new();
    while frames.len() < 3 {
        assert!(rb.read(&mut frames).await.unwrap());
    }
    assert_eq!(frames, [1, 2, 3].map(|id| Ok(Frame::Single(request(id)))));

    let answers = [1, 2].map(|id: i64| Response::new(Some(id.into()), Ok(RawJson::EMPTY)).into());
    wb.feed(&Packet::Batch(answers.to_vec()));
    wb.flush().await.unwrap();
    let mut frames = Frames::new();
    assert!(ra.read(&mut frames).await.unwrap());
    assert_eq!(frames, [Ok(Frame::Batch(answers.map(Ok).to_vec()))]);
}

#[tokio::test(start_paused = true)]
async fn a_full_pair_makes_the_writer_wait_and_loses_nothing() {
    let ((_ra, mut wa), (mut rb, _wb)) = memory(2);
    for id in 1..=5 {
        wa.feed(&request(id).into());
    }
    let wait = std::time::Duration::from_secs(1);
    assert!(
        tokio::time::timeout(wait, wa.flush()).await.is_err(),
        "2 of 5 fit"
    );
    let mut frames = Frames::new();
    let read = async {
        while frames.len() < 5 {
            assert!(rb.read(&mut frames).await.unwrap());
        }
    };
    let (flushed, ()) = tokio::join!(wa.flush(), read);
    flushed.unwrap();
    assert_eq!(
        frames,
        [1, 2, 3, 4, 5].map(|id| Ok(Frame::Single(request(id))))
    );
}

#[tokio::test]
async fn dropping_a_writer_ends_the_stream_after_what_was_sent() {
    let ((_ra, mut wa), (mut rb, _wb)) = memory(2);
    wa.feed(&Message::from(Notification::new("a", None)).into());
    wa.flush().await.unwrap();
    drop(wa);
    let mut frames = Frames::new();
    assert!(rb.read(&mut frames).await.unwrap());
    assert_eq!(frames.len(), 1);
    assert!(!rb.read(&mut frames).await.unwrap());
}

#[tokio::test]
async fn writing_fails_when_either_end_is_closed() {
    let ((_ra, mut wa), (rb, mut wb)) = memory(2);
    drop(rb);
    wa.feed(&request(1).into());
    assert_eq!(
        wa.flush().await.unwrap_err().kind(),
        TransportErrorKind::Ended
    );
    wb.close().await;
    wb.feed(&request(1).into());
    assert_eq!(
        wb.flush().await.unwrap_err().kind(),
        TransportErrorKind::ClosedHere
    );
}

#[tokio::test]
async fn a_test_can_send_and_see_raw_text() {
    let ((mut ra, mut wa), (mut rb, mut wb)) = memory(2);
    wa.feed_text("{");
    wa.flush().await.unwrap();
    let mut frames = Frames::new();
    assert!(rb.read(&mut frames).await.unwrap());
    assert!(matches!(frames[..], [Err(DecodeError::Syntax { .. })]));
    wb.feed(&request(7).into());
    wb.flush().await.unwrap();
    let text = ra.read_text().await.unwrap();
    assert_eq!(text, r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
}

#[test]
fn only_a_refusal_of_the_400s_proves_that_a_call_has_not_run() {
    for (status, delivery) in [
        (http::StatusCode::NOT_FOUND, Delivery::NotSent),
        (http::StatusCode::TOO_MANY_REQUESTS, Delivery::NotSent),
        (http::StatusCode::BAD_GATEWAY, Delivery::Unknown),
        (http::StatusCode::FOUND, Delivery::Unknown),
    ] {
        let error = CallError::Rejected(Box::new(Rejection::new(status)));
        assert_eq!(error.delivery(), delivery, "{status}");
    }
}
