//! The bookkeeping: who waits for what, and until when.

use std::time::{Duration, Instant};

use mcp_jsonrpc::{
    CallOptions, ErrorObject, Event, Exchange, Failure, Id, Limits, Message, Notification, RawJson,
    Refused, Request, Response,
};

use crate::encoded;

const SECOND: Duration = Duration::from_secs(1);

fn exchange<T>() -> Exchange<T> {
    Exchange::new(Limits::default())
}

fn call<T>(exchange: &mut Exchange<T>, now: Instant, options: CallOptions, tag: T) -> Id {
    exchange
        .call(now, "m".into(), None, options, tag)
        .map_err(|(refused, _)| refused)
        .unwrap()
}

fn result(id: impl Into<Id>) -> Message {
    Response::new(id.into(), Ok(RawJson::EMPTY)).into()
}

fn events<T>(exchange: &mut Exchange<T>) -> Vec<Event<T>> {
    std::iter::from_fn(|| exchange.poll_event()).collect()
}

#[test]
fn rpc_04_ids_count_up_and_are_never_used_twice() {
    let (now, mut exchange) = (Instant::now(), exchange());
    for n in 1..=5_u64 {
        let id = exchange.next_id();
        assert_eq!(call(&mut exchange, now, CallOptions::default(), ()), id);
        assert_eq!(id, Id::from(n));
        exchange.cancel(&id);
    }
}

#[test]
fn rpc_05_no_two_calls_that_wait_have_one_id() {
    let (now, mut exchange) = (Instant::now(), exchange());
    let ids: std::collections::HashSet<_> = (0..1000)
        .map(|_| call(&mut exchange, now, CallOptions::default(), ()))
        .collect();
    assert_eq!(ids.len(), 1000);
}

#[test]
fn answers_find_their_calls_in_any_order() {
    let (now, mut exchange) = (Instant::now(), exchange());
    let ids = ["a", "b", "c"].map(|tag| call(&mut exchange, now, CallOptions::default(), tag));
    exchange.handle_message(now, result(ids[2].clone()));
    let error = ErrorObject::internal("no");
    exchange.handle_message(
        now,
        Response::new(ids[0].clone(), Err(error.clone())).into(),
    );
    let ended: Vec<_> = events(&mut exchange)
        .into_iter()
        .map(|event| match event {
            Event::Ended { tag, outcome, .. } => (tag, outcome),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        ("c", Ok(RawJson::EMPTY)),
        ("a", Err(Failure::Remote(error))),
    ];
    assert_eq!(ended, expected);
    assert!(!exchange.is_idle());
}

#[test]
fn j01_an_answer_under_another_type_of_id_matches_no_call() {
    let (now, mut exchange) = (Instant::now(), exchange());
    let id = call(&mut exchange, now, CallOptions::default(), ());
    exchange.handle_message(now, result("1"));
    assert!(matches!(events(&mut exchange)[..], [Event::Stray(_)]));
    exchange.handle_message(now, result(id));
    assert!(matches!(events(&mut exchange)[..], [Event::Ended { .. }]));
}

#[test]
fn rpc_29_a_response_that_nobody_waits_for_is_an_event_and_no_more() {
    let (now, mut exchange) = (Instant::now(), exchange());
    let id = call(&mut exchange, now, CallOptions::default(), "tag");
    exchange.poll_transmit();
    assert_eq!(exchange.cancel(&id), Some("tag"));
    assert_eq!(exchange.cancel(&id), None);
    exchange.handle_message(now, result(id));
    exchange.handle_message(now, result(99));
    exchange.handle_message(
        now,
        Response::new(None, Err(ErrorObject::internal("x"))).into(),
    );
    let events = events(&mut exchange);
    assert!(events.iter().all(|e| matches!(e, Event::Stray(_))) && events.len() == 3);
    assert!(exchange.is_idle());
}

#[test]
fn rpc_30_events_come_in_the_order_of_the_messages() {
    let (now, mut exchange) = (Instant::now(), exchange());
    let id = call(&mut exchange, now, CallOptions::default(), ());
    exchange.handle_message(now, Notification::new("n", None).into());
    exchange.handle_message(now, result(id));
    exchange.handle_message(now, Request::new(1, "r", None).into());
    assert!(matches!(
        events(&mut exchange)[..],
        [
            Event::Notification(_),
            Event::Ended { .. },
            Event::Request(_)
        ]
    ));
}

#[test]
fn rpc_31_j05_a_second_request_with_an_id_in_flight_is_refused_and_the_first_runs_on() {
    let (now, mut exchange) = (Instant::now(), exchange::<()>());
    exchange.handle_message(now, Request::new(1, "first", None).into());
    exchange.handle_message(now, Request::new(1, "second", None).into());
    let events = events(&mut exchange);
    assert!(matches!(&events[..], [Event::Request(r)] if &*r.method == "first"));
    assert!(
        encoded(exchange.poll_transmit().unwrap()).contains(r#""id":1,"error":{"code":-32600"#)
    );
    assert!(exchange.respond(&1.into(), Ok(RawJson::EMPTY)));
    assert!(encoded(exchange.poll_transmit().unwrap()).contains(r#""result":{}"#));
    // Answered, so the id is free.
    exchange.handle_message(now, Request::new(1, "third", None).into());
    assert!(matches!(exchange.poll_event(), Some(Event::Request(_))));
}

#[test]
fn a_request_is_answered_at_most_once_and_not_after_it_was_withdrawn() {
    let (now, mut exchange) = (Instant::now(), exchange::<()>());
    for id in ["a", "b"] {
        exchange.handle_message(now, Request::new(id, "m", None).into());
        exchange.poll_event();
    }
    assert!(exchange.respond(&"a".into(), Ok(RawJson::EMPTY)));
    assert!(!exchange.respond(&"a".into(), Ok(RawJson::EMPTY)));
    assert!(exchange.withdraw(&"b".into()));
    assert!(!exchange.withdraw(&"b".into()));
    assert!(!exchange.respond(&"b".into(), Ok(RawJson::EMPTY)));
    assert!(exchange.poll_transmit().is_some());
    assert!(exchange.is_idle());
}

#[test]
fn both_directions_are_bounded() {
    let both = |n| Limits {
        max_outgoing: n,
        max_incoming: n,
    };
    assert_eq!(Limits::default(), both(1024));
    let limits = both(1);
    let (now, mut exchange) = (Instant::now(), Exchange::new(limits));
    call(&mut exchange, now, CallOptions::default(), "a");
    exchange.poll_transmit();
    let refused = exchange.call(now, "m".into(), None, CallOptions::default(), "b");
    assert_eq!(refused, Err((Refused::Busy { limit: 1 }, "b")));
    exchange.handle_message(now, Request::new(1, "m", None).into());
    exchange.handle_message(now, Request::new(2, "m", None).into());
    assert_eq!(events(&mut exchange).len(), 1);
    let sent = encoded(exchange.poll_transmit().unwrap());
    assert!(sent.contains(r#""id":2,"error":{"code":-32603"#), "{sent}");
}

#[test]
fn rpc_24_a_call_without_answer_times_out_which_is_no_error_of_the_peer() {
    let (now, mut exchange) = (Instant::now(), exchange());
    let options = CallOptions {
        idle: Some(SECOND),
        ..CallOptions::default()
    };
    assert_eq!(exchange.poll_timeout(), None);
    let id = call(&mut exchange, now, options, "tag");
    assert_eq!(exchange.poll_timeout(), Some(now + SECOND));
    exchange.handle_timeout(now + SECOND / 2);
    assert!(exchange.poll_event().is_none());
    exchange.handle_timeout(now + SECOND);
    let Some(Event::Ended {
        id: ended,
        tag: "tag",
        outcome,
    }) = exchange.poll_event()
    else {
        panic!("it goes on");
    };
    assert_eq!(
        (ended, outcome),
        (id, Err(Failure::TimedOut { after: SECOND }))
    );
    assert_eq!(exchange.poll_timeout(), None);
}

#[test]
fn j24_progress_starts_the_idle_limit_anew_up_to_the_total() {
    let (start, mut exchange) = (Instant::now(), exchange());
    let options = CallOptions {
        idle: Some(SECOND),
        total: Some(3 * SECOND),
        reset_on_progress: true,
    };
    let id = call(&mut exchange, start, options, ());
    let mut now = start;
    while exchange.poll_event().is_none() {
        now += SECOND * 2 / 5;
        exchange.handle_timeout(now);
        exchange.progress(now, &id);
        assert!(now <= start + 4 * SECOND, "it never ends");
    }
    assert!(now >= start + 3 * SECOND);
    assert!(!exchange.progress(now, &id));
}

#[test]
fn j24_progress_does_not_count_where_the_caller_says_so() {
    let (start, mut exchange) = (Instant::now(), exchange());
    let options = CallOptions {
        idle: Some(SECOND),
        ..CallOptions::default()
    };
    let id = call(&mut exchange, start, options, ());
    assert!(exchange.progress(start + SECOND / 2, &id));
    exchange.handle_timeout(start + SECOND);
    assert!(matches!(exchange.poll_event(), Some(Event::Ended { .. })));
}

#[test]
fn a_timer_that_fires_early_ends_nothing_and_is_set_anew() {
    let (now, mut exchange) = (Instant::now(), exchange());
    let within = |idle| CallOptions {
        idle: Some(idle),
        ..CallOptions::default()
    };
    let first = call(&mut exchange, now, within(SECOND), ());
    call(&mut exchange, now, within(5 * SECOND), ());
    exchange.handle_message(now, result(first));
    events(&mut exchange);
    let timer = exchange.poll_timeout().unwrap();
    exchange.handle_timeout(timer);
    assert!(exchange.poll_event().is_none());
    assert_eq!(exchange.poll_timeout(), Some(now + 5 * SECOND));
}

#[test]
fn calls_that_end_together_end_in_the_order_in_which_they_began() {
    let (now, mut exchange) = (Instant::now(), exchange());
    let options = CallOptions {
        total: Some(SECOND),
        ..CallOptions::default()
    };
    for tag in 0..100 {
        call(&mut exchange, now, options, tag);
    }
    exchange.handle_timeout(now + SECOND);
    let tags = events(&mut exchange).into_iter().map(|event| match event {
        Event::Ended { tag, .. } => tag,
        other => panic!("{other:?}"),
    });
    assert!(tags.eq(0..100));
}

#[test]
fn a_limit_beyond_the_end_of_time_is_none() {
    let (now, mut exchange) = (Instant::now(), exchange());
    let options = CallOptions {
        idle: Some(Duration::MAX),
        total: Some(Duration::MAX),
        reset_on_progress: true,
    };
    let id = call(&mut exchange, now, options, ());
    exchange.progress(now, &id);
    assert_eq!(exchange.poll_timeout(), None);
}

#[test]
fn a_closed_exchange_gives_back_its_calls_and_refuses_more() {
    let (now, mut exchange) = (Instant::now(), exchange());
    exchange.handle_message(now, Request::new(1, "m", None).into());
    call(&mut exchange, now, CallOptions::default(), "a");
    call(&mut exchange, now, CallOptions::default(), "b");
    assert_eq!(exchange.close(), [(1.into(), "a"), (2.into(), "b")]);
    let refused = exchange.call(now, "m".into(), None, CallOptions::default(), "c");
    assert_eq!(refused, Err((Refused::Closed, "c")));
    assert!(!exchange.respond(&1.into(), Ok(RawJson::EMPTY)));
    // What was said before stays said.
    assert!(exchange.poll_transmit().is_some());
}
