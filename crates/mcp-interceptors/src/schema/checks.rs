//! The schemas of tools, read once.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_protocol::{SchemaCheck, SchemaError, SchemaValidator, Tool};
use serde_json::Value;

/// How many tools' schemas are kept read.
const MAX_TOOLS: usize = 1_000;

/// What one tool's arguments and results have to fit. A schema that cannot be read checks nothing.
pub(super) struct Checks {
    tool: Arc<Tool>,
    input: Option<Box<dyn SchemaCheck>>,
    output: Option<Box<dyn SchemaCheck>>,
}

impl Checks {
    fn of(tool: &Arc<Tool>, validator: &dyn SchemaValidator) -> Self {
        let read = |schema: &Value| {
            let read = validator.compile(schema);
            read.inspect_err(|error| tracing::warn!(tool = tool.name, %error, "no usable schema"))
                .ok()
        };
        Self {
            input: read(&tool.input_schema),
            output: tool.output_schema.as_ref().and_then(read),
            tool: Arc::clone(tool),
        }
    }

    pub(super) fn input(&self, args: &Value) -> Result<(), SchemaError> {
        self.input
            .as_ref()
            .map_or(Ok(()), |check| check.check(args))
    }

    pub(super) fn output(&self, structured: &Value) -> Result<(), SchemaError> {
        let check = self.output.as_ref();
        check.map_or(Ok(()), |check| check.check(structured))
    }

    /// Whether a result may be without structured content.
    pub(super) fn needs_no_output(&self) -> Result<(), SchemaError> {
        match self.output {
            None => Ok(()),
            Some(_) => Err(SchemaError::new("", "there is no structured content")),
        }
    }
}

type ByTool = HashMap<(String, String), Arc<Checks>>;

/// The checks of tools by server and name, made when they are first needed.
#[derive(Clone)]
pub(super) struct Kept {
    validator: Arc<dyn SchemaValidator>,
    checks: Arc<Mutex<ByTool>>,
}

impl Kept {
    pub(super) fn new(validator: impl SchemaValidator) -> Self {
        Self {
            validator: Arc::new(validator),
            checks: Arc::default(),
        }
    }

    pub(super) fn of(&self, server: &str, tool: &Arc<Tool>) -> Arc<Checks> {
        let key = (server.to_owned(), tool.name.clone());
        let same = |checks: &&Arc<Checks>| Arc::ptr_eq(&checks.tool, tool) || checks.tool == *tool;
        let known = {
            let checks = self.checks.lock().unwrap_or_else(PoisonError::into_inner);
            checks.get(&key).filter(same).cloned()
        };
        known.unwrap_or_else(|| {
            let made = Arc::new(Checks::of(tool, &*self.validator));
            let mut checks = self.checks.lock().unwrap_or_else(PoisonError::into_inner);
            if checks.len() >= MAX_TOOLS {
                checks.clear();
            }
            checks.insert(key, Arc::clone(&made));
            made
        })
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept")
            .field("validator", &self.validator)
            .finish_non_exhaustive()
    }
}
