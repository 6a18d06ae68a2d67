//! What both roles do with messages: calls with their progress and their end, cancellation,
//! batches. Which requests and notifications are welcome is for the role to say.

use std::collections::VecDeque;
use std::time::Instant;

use mcp_jsonrpc::{
    CallOptions, DecodeError, ErrorObject, Exchange, Failure, Id, IdMap, Limits, Message,
    Notification, Packet, RawJson, Refused, Request, Response,
};

use super::batch::{Batches, Collected};
use super::cancel;
use super::connection::{Event, Note, OutgoingCall};
use super::progress::{self, Report, Tokens};

/// A message that is left for the role.
#[derive(Debug)]
pub(super) enum Inbound {
    Request(Request),
    Notification(Notification),
}

#[derive(Debug)]
pub(super) struct Traffic<T> {
    exchange: Exchange<Attached<T>>,
    /// Whether our requests may go out; until then they are held, but for `ping`.
    open: bool,
    held: VecDeque<Request>,
    /// Tokens of our calls, for which the peer reports progress.
    ours: Tokens,
    /// Tokens of the peer's requests, for which we report.
    theirs: Tokens,
    /// Which token a request of the peer has brought.
    asked: IdMap<Id>,
    batches: Batches,
    out: VecDeque<Packet>,
    events: VecDeque<Event<T>>,
}

/// A caller's tag, with what we need to know when its call ends.
#[derive(Debug)]
struct Attached<T> {
    tag: T,
    cancellable: bool,
    token: Option<Id>,
}

impl<T> Traffic<T> {
    pub(super) fn new(limits: Limits, open: bool) -> Self {
        Self {
            exchange: Exchange::new(limits),
            open,
            held: VecDeque::new(),
            ours: Tokens::default(),
            theirs: Tokens::default(),
            asked: IdMap::default(),
            batches: Batches::default(),
            out: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    // what comes in

    pub(super) fn message(&mut self, now: Instant, message: Message) {
        match message {
            Message::Request(request) if self.batches.hold(&request.id) => {
                self.out.push_back(twice(request.id).into());
            }
            message => self.exchange.handle_message(now, message),
        }
    }

    /// Takes a batch; its answers will leave together.
    pub(super) fn batch(&mut self, now: Instant, elements: Vec<Result<Message, DecodeError>>) {
        let (mut waiting, mut ready, mut pass) = (Vec::new(), Vec::new(), Vec::new());
        for element in elements {
            match element {
                Ok(Message::Request(r)) if &*r.method == "initialize" => ready.push(
                    Response::new(
                        r.id,
                        Err(ErrorObject::invalid_request(
                            "initialize is never part of a batch",
                        )),
                    )
                    .into(),
                ),
                Ok(Message::Request(r)) if waiting.contains(&r.id) || self.owes(&r.id) => {
                    ready.push(twice(r.id));
                }
                Ok(Message::Request(r)) => {
                    waiting.push(r.id.clone());
                    pass.push(r.into());
                }
                Ok(message) => pass.push(message),
                Err(flaw) => match flaw.reply() {
                    Some((id, error)) => ready.push(Response::new(id, Err(error)).into()),
                    None => self.exchange.handle_flaw(flaw),
                },
            }
        }
        if let Some(answers) = self.batches.open(waiting, ready) {
            self.out.push_back(Packet::Batch(answers));
        }
        for message in pass {
            self.exchange.handle_message(now, message);
        }
    }

    /// Answers what is no message, or fails the call that it would have answered.
    pub(super) fn flaw(&mut self, flaw: DecodeError) {
        self.note(Note::Garbage(flaw.clone()));
        self.exchange.handle_flaw(flaw);
    }

    pub(super) fn timeout(&mut self, now: Instant) {
        self.exchange.handle_timeout(now);
    }

    /// The next message that is not dealt with here.
    pub(super) fn poll_inbound(&mut self, now: Instant) -> Option<Inbound> {
        while let Some(event) = self.exchange.poll_event() {
            match event {
                mcp_jsonrpc::Event::Request(request) => return Some(Inbound::Request(request)),
                mcp_jsonrpc::Event::Notification(notification) => match &*notification.method {
                    m if m == &*progress::PROGRESS => self.progressed(now, &notification),
                    m if m == &*cancel::CANCELLED && !self.cancelled(&notification) => {
                        self.note(Note::StaleCancel);
                    }
                    _ => return Some(Inbound::Notification(notification)),
                },
                mcp_jsonrpc::Event::Ended { id, tag, outcome } => self.ended(id, tag, outcome),
                mcp_jsonrpc::Event::Stray(response) => self.stray(response),
                _ => {}
            }
        }
        None
    }

    /// Gives up a request of the peer; `false` where there is none to be given up.
    fn cancelled(&mut self, notification: &Notification) -> bool {
        let target = cancel::target(notification.params.as_ref());
        let Some(id) = target.filter(|id| self.exchange.withdraw(id)) else {
            return false;
        };
        self.settle(&id);
        if let Some(answers) = self.batches.withdraw(&id) {
            self.out.push_back(Packet::Batch(answers));
        }
        self.events.push_back(Event::Cancelled { id });
        true
    }

    fn progressed(&mut self, now: Instant, notification: &Notification) {
        let report = Report::read(notification.params.as_ref());
        let passed = report.and_then(|report| Some((self.ours.pass(&report)?, report)));
        let Some((id, report)) = passed else {
            return self.note(Note::StaleProgress);
        };
        self.exchange.progress(now, &id);
        self.events.push_back(Event::Progress {
            id,
            progress: report.progress,
            total: report.total,
            message: report.message,
        });
    }

    fn ended(&mut self, id: Id, attached: Attached<T>, outcome: Result<RawJson, Failure>) {
        if let Some(token) = &attached.token {
            self.ours.end(token, &id);
        }
        if matches!(outcome, Err(Failure::TimedOut { .. })) {
            self.tell(&id, attached.cancellable, Some("no answer in time"));
        }
        self.events.push_back(Event::Ended {
            id,
            tag: attached.tag,
            outcome,
        });
    }

    fn stray(&mut self, response: Response) {
        match response {
            Response { id: Some(id), .. } => self.note(Note::Stray { id }),
            Response {
                outcome: Err(error),
                ..
            } => self.note(Note::PeerError(error)),
            Response { .. } => {}
        }
    }

    // what goes out

    pub(super) fn call(
        &mut self,
        now: Instant,
        call: OutgoingCall,
        tag: T,
    ) -> Result<Id, (Refused, T)> {
        let options = CallOptions {
            idle: call.idle,
            total: call.total,
            reset_on_progress: call.reset_on_progress,
        };
        let attached = Attached {
            tag,
            cancellable: call.cancellable,
            token: call.progress_token.clone(),
        };
        let id = self
            .exchange
            .call(now, call.method, call.params, options, attached)
            .map_err(|(refused, attached)| (refused, attached.tag))?;
        if let Some(token) = call.progress_token {
            self.ours.begin(token, id.clone());
        }
        Ok(id)
    }

    pub(super) fn cancel(&mut self, id: &Id, reason: Option<&str>) -> Option<T> {
        let attached = self.exchange.cancel(id)?;
        if let Some(token) = &attached.token {
            self.ours.end(token, id);
        }
        self.tell(id, attached.cancellable, reason);
        Some(attached.tag)
    }

    /// Tells the peer that a call was given up, unless it never heard of the call.
    fn tell(&mut self, id: &Id, cancellable: bool, reason: Option<&str>) {
        if let Some(at) = self.held.iter().position(|request| request.id == *id) {
            self.held.remove(at);
        } else if cancellable {
            self.exchange.notify(cancel::notification(id, reason));
        }
    }

    /// Sends a notification; progress only if its token is in use and it rises.
    pub(super) fn notify(&mut self, notification: Notification) {
        if notification.method == progress::PROGRESS {
            let report = Report::read(notification.params.as_ref());
            if report
                .and_then(|report| self.theirs.pass(&report))
                .is_none()
            {
                return self.note(Note::Withheld(notification.method));
            }
        }
        self.exchange.notify(notification);
    }

    /// Sends the progress of a task. Whether its value rises, and the task has not ended, is for
    /// who runs the task.
    pub(super) fn notify_of_task(&mut self, notification: Notification) {
        self.exchange.notify(notification);
    }

    pub(super) fn respond(&mut self, id: &Id, outcome: Result<RawJson, ErrorObject>) {
        self.settle(id);
        self.exchange.respond(id, outcome);
    }

    /// Drops a request of the peer without an answer.
    pub(super) fn withdraw(&mut self, id: &Id) {
        self.settle(id);
        self.exchange.withdraw(id);
    }

    /// Reports a request to the layer above, with the token that it brought.
    pub(super) fn accept(&mut self, request: Request, context: crate::RequestContext) {
        if let Some(token) = &context.progress_token {
            self.theirs.begin(token.clone(), request.id.clone());
            self.asked.insert(request.id.clone(), token.clone());
        }
        self.events.push_back(Event::Request { request, context });
    }

    /// A request of the peer is over: its token counts no more.
    fn settle(&mut self, id: &Id) {
        if let Some(token) = self.asked.remove(id) {
            self.theirs.end(&token, id);
        }
    }

    pub(super) fn event(&mut self, event: Event<T>) {
        self.events.push_back(event);
    }

    pub(super) fn note(&mut self, note: Note) {
        self.events.push_back(Event::Note(note));
    }

    /// Sends an error that belongs to no request.
    pub(super) fn refuse(&mut self, error: ErrorObject) {
        self.out
            .push_back(Message::from(Response::new(None, Err(error))).into());
    }

    /// From now on our requests may go out; those that were held go first.
    pub(super) fn open(&mut self) {
        self.open = true;
        let held = self.held.drain(..).map(Message::from).map(Packet::from);
        self.out.extend(held);
    }

    pub(super) fn poll_transmit(&mut self) -> Option<Packet> {
        loop {
            if let Some(packet) = self.out.pop_front() {
                return Some(packet);
            }
            match self.exchange.poll_transmit()? {
                Message::Request(r) if !self.open && &*r.method != "ping" => {
                    self.held.push_back(r);
                }
                Message::Response(response) => match self.batches.collect(response) {
                    Collected::Foreign(response) => return Some(Message::from(response).into()),
                    Collected::Complete(answers) => return Some(Packet::Batch(answers)),
                    Collected::Kept => {}
                },
                message => return Some(message.into()),
            }
        }
    }

    pub(super) fn poll_event(&mut self) -> Option<Event<T>> {
        self.events.pop_front()
    }

    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        self.exchange.poll_timeout()
    }

    pub(super) fn close(&mut self) -> Vec<(Id, T)> {
        self.held.clear();
        self.ours.clear();
        self.theirs.clear();
        self.asked.clear();
        let waiting = self.exchange.close();
        waiting
            .into_iter()
            .map(|(id, attached)| (id, attached.tag))
            .collect()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.exchange.is_idle()
            && self.held.is_empty()
            && self.out.is_empty()
            && self.events.is_empty()
    }

    fn owes(&self, id: &Id) -> bool {
        self.exchange.owes(id)
    }
}

fn twice(id: Id) -> Message {
    let error = ErrorObject::invalid_request("a request with this id waits for its answer already");
    Response::new(id, Err(error)).into()
}
