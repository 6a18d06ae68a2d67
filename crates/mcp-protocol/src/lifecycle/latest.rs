//! What the latest client has said of itself, so that nothing is decoded again as long as it says
//! the same, as nearly all do over one connection.

use std::sync::Arc;

use mcp_jsonrpc::ErrorObject;
use serde::de::DeserializeOwned;

use super::identity::ServerIdentity;
use super::peek::{self, Meta};
use super::stateless::{Admission, decode};
use crate::{ClientCapabilities, Implementation, ProtocolVersion};

/// Decoded parts of the latest `_meta`, and what all of it has come to.
#[derive(Clone, Debug, Default)]
pub(super) struct LatestClient {
    pub(super) capabilities: Described<ClientCapabilities>,
    pub(super) info: Described<Implementation>,
    whole: Option<Whole>,
}

/// The longest text that is remembered, in bytes.
const LONGEST: usize = 4096;

/// A value with the text that it was decoded from.
#[derive(Clone, Debug)]
pub(super) struct Described<T>(Option<(Box<str>, Arc<T>)>);

impl<T> Default for Described<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: DeserializeOwned> Described<T> {
    pub(super) fn read(&mut self, text: &str, member: &str) -> Result<Arc<T>, ErrorObject> {
        if let Some((known, value)) = &self.0
            && **known == *text
        {
            return Ok(Arc::clone(value));
        }
        let value: Arc<T> = Arc::new(decode(text, member)?);
        let remembered = text.len() <= LONGEST;
        self.0 = remembered.then(|| (text.into(), Arc::clone(&value)));
        Ok(value)
    }
}

/// A `_meta` but for its progress token, which no two requests have in common.
#[derive(Clone, Debug)]
struct Whole {
    /// All text before the token; the whole text where there is none.
    before: Box<str>,
    /// All text behind the token, where there is one.
    after: Option<Box<str>>,
    /// The revisions that the server speaks, by which it was judged.
    versions: Box<[ProtocolVersion]>,
    /// What it has come to, without the token.
    admission: Admission,
}

impl LatestClient {
    /// What a `_meta` comes to that says the same as the latest. Its token is its own.
    pub(super) fn recall(&self, text: &str, identity: &ServerIdentity) -> Option<Admission> {
        let whole = self.whole.as_ref()?;
        if *whole.versions != *identity.versions {
            return None;
        }
        let rest = text.strip_prefix(&*whole.before)?;
        let mut admission = whole.admission.clone();
        match &whole.after {
            Some(after) => {
                let token = rest.strip_suffix(&**after).filter(|t| is_token(t))?;
                *token_of(&mut admission) = Some(peek::token(token)?);
            }
            None if rest.is_empty() => {}
            None => return None,
        }
        Some(admission)
    }

    pub(super) fn remember(
        &mut self,
        text: &str,
        meta: &Meta<'_>,
        identity: &ServerIdentity,
        admission: &Admission,
    ) {
        self.whole = split(text, meta)
            .filter(|_| text.len() <= LONGEST)
            .map(|(before, after)| {
                let mut admission = admission.clone();
                *token_of(&mut admission) = None;
                Whole {
                    before: before.into(),
                    after: after.map(Box::from),
                    versions: identity.versions.as_slice().into(),
                    admission,
                }
            });
    }
}

const fn token_of(admission: &mut Admission) -> &mut Option<crate::ProgressToken> {
    match admission {
        Admission::Stateless(context) => &mut context.progress_token,
        Admission::Handshake(token) => token,
    }
}

/// The text before and behind the token. `None` where that of another request could not be told
/// from what stands around it.
fn split<'a>(text: &'a str, meta: &Meta<'_>) -> Option<(&'a str, Option<&'a str>)> {
    let Some(token) = meta.progress_token else {
        return Some((text, None));
    };
    // It is a part of the text.
    let begins = token.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let (before, from) = text.split_at_checked(begins)?;
    let after = from.strip_prefix(token).filter(|_| is_token(token))?;
    Some((before, Some(after)))
}

/// Whether the text is exactly one number without sign, or one string without escapes: put in the
/// place of another, it changes nothing of what is around it.
fn is_token(text: &str) -> bool {
    let quoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    match quoted {
        Some(plain) => !plain.bytes().any(|b| matches!(b, b'"' | b'\\')),
        None => !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()),
    }
}
