//! Which requests each side runs as tasks: 2025-11-25 only.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::capability;
use crate::Extra;

capability! {
    /// The client runs requests as tasks. 2025-11-25 only.
    ///
    /// Specification: Tasks (2025-11-25).
    ClientTasksCapability {
        /// It lists its tasks.
        with_list(list: Map<String, Value>),
        /// It cancels tasks.
        with_cancel(cancel: Map<String, Value>),
        /// Which requests may become tasks.
        with_requests(requests: ClientTaskRequests),
    }
}

impl ClientTasksCapability {
    /// Whether this request of a server may become a task.
    #[must_use]
    pub fn has_requests(&self, method: &str) -> bool {
        let requests = self.requests.as_ref();
        match method {
            "sampling/createMessage" => requests
                .and_then(|r| r.sampling.as_ref())
                .is_some_and(|sampling| sampling.create_message.is_some()),
            "elicitation/create" => requests
                .and_then(|r| r.elicitation.as_ref())
                .is_some_and(|elicitation| elicitation.create.is_some()),
            _ => false,
        }
    }
}

capability! {
    /// The server runs requests as tasks. 2025-11-25 only.
    ///
    /// Specification: Tasks (2025-11-25).
    ServerTasksCapability {
        /// It lists its tasks.
        with_list(list: Map<String, Value>),
        /// It cancels tasks.
        with_cancel(cancel: Map<String, Value>),
        /// Which requests may become tasks.
        with_requests(requests: ServerTaskRequests),
    }
}

impl ServerTasksCapability {
    /// Whether `tools/call` may become a task.
    #[must_use]
    pub fn has_tool_calls(&self) -> bool {
        self.requests
            .as_ref()
            .and_then(|r| r.tools.as_ref())
            .is_some_and(|t| t.call.is_some())
    }
}

capability! {
    /// The requests to a client that may become tasks. 2025-11-25 only.
    ClientTaskRequests {
        /// Those of sampling.
        with_sampling(sampling: SamplingTaskRequests),
        /// Those of elicitation.
        with_elicitation(elicitation: ElicitationTaskRequests),
    }
}

capability! {
    /// The requests to a server that may become tasks. 2025-11-25 only.
    ServerTaskRequests {
        /// Those of tools.
        with_tools(tools: ToolsTaskRequests),
    }
}

capability! {
    /// The sampling requests that may become tasks. 2025-11-25 only.
    SamplingTaskRequests {
        /// `sampling/createMessage`.
        with_create_message(create_message: Map<String, Value>),
    }
}

capability! {
    /// The elicitation requests that may become tasks. 2025-11-25 only.
    ElicitationTaskRequests {
        /// `elicitation/create`.
        with_create(create: Map<String, Value>),
    }
}

capability! {
    /// The tool requests that may become tasks. 2025-11-25 only.
    ToolsTaskRequests {
        /// `tools/call`.
        with_call(call: Map<String, Value>),
    }
}
