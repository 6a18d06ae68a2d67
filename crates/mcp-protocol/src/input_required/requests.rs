//! What a server asks before it can go on.

use indexmap::IndexMap;
use mcp_jsonrpc::RawJson;
use serde::de::{Deserializer, Error as _};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::elicitation::Elicit;
use crate::roots::ListRoots;
use crate::sampling::CreateMessage;
use crate::{
    CreateMessageParams, ElicitRequestFormParams, ElicitRequestParams, ElicitRequestURLParams,
    RequestParams, RpcRequest, unique,
};

/// What a server asks, by keys of its own, in its order.
///
/// Specification: Multi Round-Trip Requests. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InputRequests(
    #[serde(deserialize_with = "unique::members")] IndexMap<String, InputRequest>,
);

impl InputRequests {
    /// Asks nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks one thing more.
    pub fn insert(&mut self, key: impl Into<String>, request: impl Into<InputRequest>) {
        self.0.insert(key.into(), request.into());
    }

    /// What is asked under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&InputRequest> {
        self.0.get(key)
    }

    /// All that is asked, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &InputRequest)> {
        self.0.iter().map(|(key, request)| (key.as_str(), request))
    }

    /// How many things are asked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Into<String>, R: Into<InputRequest>> FromIterator<(K, R)> for InputRequests {
    fn from_iter<I: IntoIterator<Item = (K, R)>>(requests: I) -> Self {
        let entry = |(key, request): (K, R)| (key.into(), request.into());
        Self(requests.into_iter().map(entry).collect())
    }
}

/// One thing that a server asks: a method with its params, without an id.
///
/// Specification: Multi Round-Trip Requests. Since 2026-07-28.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// `elicitation/create`: asks the user.
    Elicit(Box<ElicitRequestParams>),
    /// `sampling/createMessage`: asks the model.
    CreateMessage(Box<CreateMessageParams>),
    /// `roots/list`: asks for the roots.
    ListRoots(RequestParams),
    /// A method that this crate does not know.
    Other {
        /// The method.
        method: String,
        /// The params, undecoded.
        params: Option<RawJson>,
    },
}

impl InputRequest {
    /// The method.
    #[must_use]
    pub fn method(&self) -> &str {
        const ELICIT: &str = "elicitation/create";
        const CREATE_MESSAGE: &str = "sampling/createMessage";
        const LIST_ROOTS: &str = "roots/list";
        match self {
            Self::Elicit(_) => ELICIT,
            Self::CreateMessage(_) => CREATE_MESSAGE,
            Self::ListRoots(_) => LIST_ROOTS,
            Self::Other { method, .. } => method,
        }
    }
}

impl From<ElicitRequestParams> for InputRequest {
    fn from(params: ElicitRequestParams) -> Self {
        Self::Elicit(Box::new(params))
    }
}

impl From<ElicitRequestFormParams> for InputRequest {
    fn from(params: ElicitRequestFormParams) -> Self {
        ElicitRequestParams::from(params).into()
    }
}

impl From<ElicitRequestURLParams> for InputRequest {
    fn from(params: ElicitRequestURLParams) -> Self {
        ElicitRequestParams::from(params).into()
    }
}

impl From<CreateMessageParams> for InputRequest {
    fn from(params: CreateMessageParams) -> Self {
        Self::CreateMessage(Box::new(params))
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Wire<'a, P> {
            method: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            params: Option<P>,
        }
        let method = self.method();
        match self {
            Self::Elicit(params) => Wire {
                method,
                params: Some(params),
            }
            .serialize(serializer),
            Self::CreateMessage(params) => Wire {
                method,
                params: Some(params),
            }
            .serialize(serializer),
            // Its params are optional, and empty ones say nothing.
            Self::ListRoots(params) => Wire {
                method,
                params: Some(params).filter(|p| p.meta.is_some() || !p.extra.is_empty()),
            }
            .serialize(serializer),
            Self::Other { params, .. } => Wire {
                method,
                params: params.as_ref(),
            }
            .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Wire {
            method: String,
            params: Option<Box<RawValue>>,
        }
        let Wire { method, params } = Wire::deserialize(deserializer)?;
        let params = params.map(RawJson::from);
        let raw = params.as_ref();
        let decoded = match method.as_str() {
            m if *m == *Elicit::METHOD => {
                Elicit::decode_params(raw).map(Box::new).map(Self::Elicit)
            }
            m if *m == *CreateMessage::METHOD => CreateMessage::decode_params(raw)
                .map(Box::new)
                .map(Self::CreateMessage),
            m if *m == *ListRoots::METHOD => ListRoots::decode_params(raw).map(Self::ListRoots),
            _ => Ok(Self::Other { method, params }),
        };
        decoded.map_err(D::Error::custom)
    }
}
