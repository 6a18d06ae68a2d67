//! Loads the contents of many resources at once, each with its own failure.

use std::sync::Arc;

use mcp_interceptors::ServerFailure;
use mcp_protocol::{Resource, ResourceContents};

use super::{Catalog, Entry, ServerPool};
use crate::CallOptions;
use crate::several::for_each;

/// How many resources are read at once.
const AT_ONCE: usize = 8;

/// Which resources to load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Of this server only.
    pub server: Option<String>,
    /// These only, in this order. Without a server each goes to the one that lists it.
    pub uris: Option<Vec<String>>,
}

impl Selection {
    /// All resources of all servers.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// All resources of a server.
    pub fn of(server: impl Into<String>) -> Self {
        Self {
            server: Some(server.into()),
            uris: None,
        }
    }

    /// These of the selected ones, in this order.
    #[must_use]
    pub fn with_uris<S: Into<String>>(mut self, uris: impl IntoIterator<Item = S>) -> Self {
        self.uris = Some(uris.into_iter().map(Into::into).collect());
        self
    }
}

/// What was loaded, in the order of the selection, and what was not.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Loaded {
    /// The contents; a resource may have several.
    pub contents: Vec<LoadedContent>,
    /// The resources that could not be read.
    pub failures: Vec<LoadFailure>,
    /// The servers that could not be asked what they have.
    pub servers: Vec<ServerFailure>,
}

/// One content of a resource.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoadedContent {
    /// The server.
    pub server: Arc<str>,
    /// The URI of the content; may be a part of what was asked for.
    pub uri: String,
    /// What kind of content it is.
    pub mime_type: Option<String>,
    /// The content.
    pub body: Body,
    /// What the server's list says of the resource, where it has it.
    pub resource: Option<Resource>,
}

/// A content: text, or bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "text or not text")]
pub enum Body {
    /// Text.
    Text(String),
    /// Bytes, decoded.
    Blob(Vec<u8>),
}

/// A resource that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadFailure {
    /// The server; `None` if no server lists the resource.
    pub server: Option<Arc<str>>,
    /// The resource.
    pub uri: String,
    /// What happened, down to the cause, in one line.
    pub message: String,
}

/// A resource to read.
struct Wanted {
    server: Arc<str>,
    uri: String,
    resource: Option<Resource>,
}

impl ServerPool {
    /// Loads resources, at most 8 at once. One that cannot be read hides none of the others.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the calls.
    pub async fn load(&self, selection: &Selection, options: &CallOptions) -> Loaded {
        let mut loaded = Loaded::default();
        let wanted = self.wanted(selection, &mut loaded).await;
        let read = |wanted: Wanted| async move {
            let read = self
                .read_resource(&wanted.server, &wanted.uri, options)
                .await;
            (wanted, read)
        };
        for (wanted, read) in for_each(AT_ONCE, wanted, read).await {
            match read {
                Ok(result) => {
                    let contents = result.contents.into_iter();
                    contents.for_each(|content| loaded.add(&wanted, content));
                }
                Err(error) => loaded.failures.push(wanted.failure(error.chain())),
            }
        }
        loaded
    }

    /// Finds out who has what was selected.
    async fn wanted(&self, selection: &Selection, loaded: &mut Loaded) -> Vec<Wanted> {
        let known = match (&selection.server, &selection.uris) {
            // Whoever names both needs no list.
            (Some(_), Some(_)) => Vec::new(),
            _ => {
                let Catalog { entries, failures } = self.resources().await;
                let asked = |name: &str| selection.server.as_ref().is_none_or(|s| s == name);
                loaded.servers = failures.into_iter().filter(|f| asked(&f.server)).collect();
                entries
                    .into_iter()
                    .filter(|entry| asked(&entry.server))
                    .collect()
            }
        };
        let Some(uris) = &selection.uris else {
            return known.into_iter().map(Wanted::from).collect();
        };
        let mut wanted = Vec::with_capacity(uris.len());
        for uri in uris {
            let listed = known.iter().find(|entry| entry.item.uri == *uri);
            match (&selection.server, listed) {
                (_, Some(entry)) => wanted.push(entry.clone().into()),
                (Some(server), None) => wanted.push(Wanted {
                    server: server.as_str().into(),
                    uri: uri.clone(),
                    resource: None,
                }),
                (None, None) => loaded.failures.push(LoadFailure {
                    server: None,
                    uri: uri.clone(),
                    message: "no server lists this resource".to_owned(),
                }),
            }
        }
        wanted
    }
}

impl Loaded {
    fn add(&mut self, wanted: &Wanted, content: ResourceContents) {
        let (uri, mime_type) = (
            content.uri().to_owned(),
            content.mime_type().map(str::to_owned),
        );
        let body = match content {
            ResourceContents::Text(text) => Body::Text(text.text),
            ResourceContents::Blob(blob) => match blob.bytes() {
                Ok(bytes) => Body::Blob(bytes),
                Err(error) => {
                    let message = format!("its blob is not base64: {error}");
                    return self.failures.push(wanted.failure(message));
                }
            },
            _ => {
                return self
                    .failures
                    .push(wanted.failure("its kind is not known".to_owned()));
            }
        };
        self.contents.push(LoadedContent {
            server: Arc::clone(&wanted.server),
            uri,
            mime_type,
            body,
            resource: wanted.resource.clone(),
        });
    }
}

impl Wanted {
    fn failure(&self, message: String) -> LoadFailure {
        LoadFailure {
            server: Some(Arc::clone(&self.server)),
            uri: self.uri.clone(),
            message,
        }
    }
}

impl From<Entry<Resource>> for Wanted {
    fn from(entry: Entry<Resource>) -> Self {
        Self {
            server: entry.server,
            uri: entry.item.uri.clone(),
            resource: Some(entry.item),
        }
    }
}
