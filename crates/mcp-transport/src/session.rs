//! What lasts from one message of a connection to the next.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use http::Extensions;
use tokio_util::sync::CancellationToken;

use crate::Channel;

/// The connection or session that a message belongs to.
///
/// A transport makes one per connection (over HTTP: per session) and hands it over with
/// [each message](crate::Incoming::session) that comes in by it. A message of a revision without
/// sessions has none.
///
/// ```
/// use mcp_transport::{Channel, Session};
/// # fn f(channel: std::sync::Arc<dyn Channel>) {
/// let session = Session::new(channel);
/// *session.state::<std::sync::Mutex<u32>>().lock().unwrap() += 1;
/// assert_eq!(*session.clone().state::<std::sync::Mutex<u32>>().lock().unwrap(), 1);
/// # }
/// ```
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    channel: Arc<dyn Channel>,
    ended: CancellationToken,
    state: Mutex<Extensions>,
}

impl Session {
    /// A session whose own messages go out by this channel.
    #[must_use]
    pub fn new(channel: Arc<dyn Channel>) -> Self {
        Self(Arc::new(Inner {
            channel,
            ended: CancellationToken::new(),
            state: Mutex::default(),
        }))
    }

    /// Sends to the peer what belongs to no request of its.
    #[must_use]
    pub fn channel(&self) -> &Arc<dyn Channel> {
        &self.0.channel
    }

    /// Cancelled by the transport when the session has ended.
    #[must_use]
    pub fn ended(&self) -> &CancellationToken {
        &self.0.ended
    }

    /// What a layer above keeps with the session: one value of each type, made by `Default`
    /// when it is first asked for.
    #[must_use]
    pub fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(state.get_or_insert_with(Arc::<T>::default))
    }
}

/// Whether both are the same session.
impl PartialEq for Session {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Session {}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("channel", &self.0.channel)
            .field("ended", &self.0.ended.is_cancelled())
            .finish_non_exhaustive()
    }
}
