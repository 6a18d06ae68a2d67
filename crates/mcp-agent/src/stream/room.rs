//! Room in the channel of a run's stream: its tasks wait while there is too little.

use std::sync::{Mutex, PoisonError};
use std::task::{Context, Waker};

use tokio::sync::mpsc::{Receiver, Sender};

/// The tasks that wait for room.
#[derive(Debug, Default)]
pub(super) struct Room(Mutex<Vec<Waker>>);

impl Room {
    /// Whether a task has to wait, because more than half of the channel is full; it is woken
    /// when there is room.
    pub(super) fn is_short<E>(&self, sender: &Sender<E>, cx: &Context<'_>) -> bool {
        if !is_crowded(sender) {
            return false;
        }
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, so that nobody makes room between the look and the note.
        let short = is_crowded(sender);
        if short && !waiting.iter().any(|known| known.will_wake(cx.waker())) {
            waiting.push(cx.waker().clone());
        }
        short
    }

    /// An event was taken.
    pub(super) fn taken<E>(&self, receiver: &Receiver<E>) {
        if receiver.len() * 2 > receiver.max_capacity() {
            return;
        }
        let waiting = {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }
}

fn is_crowded<E>(sender: &Sender<E>) -> bool {
    sender.capacity() * 2 < sender.max_capacity() && !sender.is_closed()
}
