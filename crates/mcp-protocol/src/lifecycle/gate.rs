//! What must not be sent: by revision, and by what the other side has declared.
//!
//! Specification: basic/lifecycle, Capability Negotiation (until 2025-11-25); basic/versioning
//! (2026-07-28).

use super::identity::ServerIdentity;
use crate::error::NotNegotiated;
use crate::{ClientCapabilities, Feature, ProtocolVersion, ServerCapabilities, tasks};

/// Whether a revision has a method. Methods that no revision of the core knows are left to
/// extensions: they exist everywhere.
#[must_use]
pub fn exists(method: &str, version: ProtocolVersion) -> bool {
    let feature = match method {
        "initialize" | "notifications/initialized" => Feature::Handshake,
        "ping" => Feature::Ping,
        "server/discover" => Feature::Discover,
        "logging/setLevel" => Feature::SetLogLevel,
        "resources/subscribe" | "resources/unsubscribe" => Feature::ResourceSubscribe,
        "subscriptions/listen" => Feature::SubscriptionsListen,
        "sampling/createMessage" | "roots/list" | "notifications/roots/list_changed" => {
            Feature::ServerRequests
        }
        "elicitation/create" => {
            return version.has(Feature::Elicitation) && version.has(Feature::ServerRequests);
        }
        "tasks/result" | "tasks/list" => Feature::Tasks,
        _ => return true,
    };
    version.has(feature)
}

/// Whether a client may send this to a server with these capabilities.
pub(super) fn server_allows(
    method: &str,
    version: ProtocolVersion,
    capabilities: &ServerCapabilities,
) -> Result<(), NotNegotiated> {
    revision(method, version)?;
    let (offered, capability) = match method {
        "tools/list" | "tools/call" => (capabilities.tools.is_some(), "tools"),
        "prompts/list" | "prompts/get" => (capabilities.prompts.is_some(), "prompts"),
        "resources/list" | "resources/templates/list" | "resources/read" => {
            (capabilities.resources.is_some(), "resources")
        }
        "resources/subscribe" | "resources/unsubscribe" => (
            capabilities.has_resource_subscriptions(),
            "resources.subscribe",
        ),
        "completion/complete" => (
            capabilities.completions.is_some() || !version.has(Feature::CompletionsCapability),
            "completions",
        ),
        "logging/setLevel" => (capabilities.logging.is_some(), "logging"),
        "subscriptions/listen" => (has_changes(capabilities), "listChanged or subscribe"),
        "tasks/get" | "tasks/result" | "tasks/list" | "tasks/cancel" | "tasks/update" => {
            has_tasks(method, version, capabilities)
        }
        _ => return Ok(()),
    };
    declared(offered, method, "server", capability)
}

/// Tasks are a capability in one revision and an extension beside those without handshake.
fn has_tasks(
    method: &str,
    version: ProtocolVersion,
    capabilities: &ServerCapabilities,
) -> (bool, &'static str) {
    if !version.has(Feature::Tasks) {
        let spoken = version.is_stateless() && capabilities.has_extension(tasks::EXTENSION);
        return (spoken, "extensions.io.modelcontextprotocol/tasks");
    }
    let tasks = capabilities.tasks.as_ref();
    match method {
        "tasks/list" => (tasks.is_some_and(|t| t.list.is_some()), "tasks.list"),
        "tasks/cancel" => (tasks.is_some_and(|t| t.cancel.is_some()), "tasks.cancel"),
        "tasks/update" => (false, "extensions.io.modelcontextprotocol/tasks"),
        _ => (tasks.is_some(), "tasks"),
    }
}

/// Whether a server may send this request to a client with these capabilities, or ask it that
/// way inside an input-required result.
///
/// # Errors
/// [`NotNegotiated`], which says what is missing.
pub fn client_allows(method: &str, capabilities: &ClientCapabilities) -> Result<(), NotNegotiated> {
    let tasks = capabilities.tasks.as_ref();
    let (offered, capability) = match method {
        "sampling/createMessage" => (capabilities.sampling.is_some(), "sampling"),
        "roots/list" => (capabilities.roots.is_some(), "roots"),
        "elicitation/create" => (capabilities.elicitation.is_some(), "elicitation"),
        "tasks/get" | "tasks/result" => (tasks.is_some(), "tasks"),
        "tasks/list" => (tasks.is_some_and(|t| t.list.is_some()), "tasks.list"),
        "tasks/cancel" => (tasks.is_some_and(|t| t.cancel.is_some()), "tasks.cancel"),
        _ => return Ok(()),
    };
    declared(offered, method, "client", capability)
}

/// Whether a server may ask a client with these capabilities to run this request as a task.
///
/// # Errors
/// [`NotNegotiated`], which says what is missing.
pub fn client_allows_task(
    method: &str,
    version: ProtocolVersion,
    capabilities: &ClientCapabilities,
) -> Result<(), NotNegotiated> {
    if !version.has(Feature::Tasks) {
        return Err(NotNegotiated::Revision {
            method: "tasks/result".to_owned(),
            version,
        });
    }
    let tasks = capabilities.tasks.as_ref();
    let capability = match method {
        "elicitation/create" => "tasks.requests.elicitation.create",
        _ => "tasks.requests.sampling.createMessage",
    };
    let offered = tasks.is_some_and(|tasks| tasks.has_requests(method));
    declared(offered, method, "client", capability)
}

/// Whether a client that has declared this may announce it.
pub(super) fn client_may(
    method: &str,
    version: ProtocolVersion,
    capabilities: &ClientCapabilities,
) -> Result<(), NotNegotiated> {
    revision(method, version)?;
    let offered = method != "notifications/roots/list_changed"
        || capabilities
            .roots
            .as_ref()
            .is_some_and(|roots| roots.list_changed == Some(true));
    declared(offered, method, "client", "roots.listChanged")
}

/// Whether a server with these capabilities may announce this at any time.
pub(super) fn server_may(method: &str, identity: &ServerIdentity) -> bool {
    let capabilities = &identity.capabilities;
    let [tools, prompts, resources] = list_changed(capabilities);
    match method {
        "notifications/tools/list_changed" => tools,
        "notifications/prompts/list_changed" => prompts,
        "notifications/resources/list_changed" => resources,
        "notifications/resources/updated" => capabilities.has_resource_subscriptions(),
        _ => true,
    }
}

/// Whether a server tells when its tools, prompts and resources change.
fn list_changed(capabilities: &ServerCapabilities) -> [bool; 3] {
    let tools = capabilities.tools.as_ref().and_then(|c| c.list_changed);
    let prompts = capabilities.prompts.as_ref().and_then(|c| c.list_changed);
    let resources = capabilities.resources.as_ref().and_then(|c| c.list_changed);
    [tools, prompts, resources].map(|flag| flag == Some(true))
}

fn has_changes(capabilities: &ServerCapabilities) -> bool {
    list_changed(capabilities).contains(&true) || capabilities.has_resource_subscriptions()
}

fn revision(method: &str, version: ProtocolVersion) -> Result<(), NotNegotiated> {
    if exists(method, version) {
        return Ok(());
    }
    Err(NotNegotiated::Revision {
        method: method.to_owned(),
        version,
    })
}

fn declared(
    offered: bool,
    method: &str,
    peer: &'static str,
    capability: &'static str,
) -> Result<(), NotNegotiated> {
    if offered {
        return Ok(());
    }
    Err(NotNegotiated::Capability {
        method: method.to_owned(),
        peer,
        capability,
    })
}
