//! Finds out that a server is gone before a call does.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::ServerPool;
use super::member::Member;
use crate::several::for_each;
use crate::{CallOptions, Session};

/// How many times in a row a server may leave the question unanswered.
const MISSES: u32 = 2;

impl ServerPool {
    /// Asks the servers whose [`heartbeat`](super::ServerOptions::heartbeat) is set whether they
    /// are there, for as long as this future is polled: it never ends by itself. One that leaves
    /// the question unanswered twice in a row is disconnected; the next call starts it anew.
    ///
    /// Only open sessions are asked, and only while none of their calls is in flight: a server
    /// that works may be too busy to answer.
    ///
    /// # Cancel safety
    /// Dropping the future ends the heartbeat; connections stay open.
    pub async fn heartbeat(&self) {
        let members = self.inner.members.values();
        let watched = members.filter_map(|member| Some((member, member.options.heartbeat?)));
        for_each(usize::MAX, watched, |(member, every)| watch(member, every)).await;
        std::future::pending::<()>().await;
    }
}

async fn watch(member: &Arc<Member>, every: Duration) {
    let every = every.max(Duration::from_millis(1));
    let mut ticks = interval_at(Instant::now() + every, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut missed: Option<(Session, u32)> = None;
    loop {
        ticks.tick().await;
        let Some(session) = member.idle_session() else {
            continue;
        };
        let before = match missed.take() {
            Some((last, count)) if last.is_same(&session) => count,
            _ => 0,
        };
        let options = CallOptions::new().with_timeout(every);
        match session.ping(&options).await {
            Ok(()) => {}
            // An error is an answer, too.
            Err(error) if error.remote().is_some() => {}
            Err(error) if session.is_lost(&error) || before + 1 >= MISSES => {
                tracing::warn!(server = &*member.name, "no heartbeat, disconnecting");
                member.discard(&session);
                session.close().await;
            }
            Err(_) => missed = Some((session, before + 1)),
        }
    }
}
