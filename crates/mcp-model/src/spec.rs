//! Models by name, as on a command line.

use std::sync::Arc;

use crate::{ChatModel, ModelError, ModelErrorKind, OpenAiModel, PlannerModel};

/// The model that a text names: `planner`, or `openai:NAME` with the key from `OPENAI_API_KEY`
/// and the address from `OPENAI_BASE_URL`.
///
/// # Errors
/// When the text names no model, or what the model needs is missing from the environment.
///
/// ```
/// assert_eq!(mcp_model::model_from_spec("planner").unwrap().name(), "planner");
/// assert!(mcp_model::model_from_spec("nobody:x").is_err());
/// ```
pub fn model_from_spec(spec: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
    model_from(spec, |name| std::env::var(name).ok())
}

fn model_from(
    spec: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Arc<dyn ChatModel>, ModelError> {
    let variable = |name| variable(name).filter(|value| !value.trim().is_empty());
    match spec.split_once(':') {
        None if spec == "planner" => Ok(Arc::new(PlannerModel::new())),
        Some(("openai", name)) if !name.is_empty() => {
            let mut builder = OpenAiModel::builder(name);
            if let Some(url) = variable("OPENAI_BASE_URL") {
                builder = builder.base_url(url);
            }
            if let Some(key) = variable("OPENAI_API_KEY") {
                builder = builder.api_key(key);
            }
            Ok(Arc::new(builder.build()?))
        }
        _ => Err(ModelError::new(
            ModelErrorKind::BadRequest,
            format!("no model {spec:?}; there are planner and openai:NAME"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(spec: &str, variables: &[(&str, &str)]) -> Result<String, ModelErrorKind> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let model = model_from(spec, variable).map_err(|e| e.kind())?;
        Ok(model.name().to_owned())
    }

    #[test]
    fn models_are_named_and_need_what_they_need() {
        assert_eq!(kind("planner", &[]), Ok("planner".to_owned()));
        let key = ("OPENAI_API_KEY", "k");
        assert_eq!(kind("openai:gpt", &[key]), Ok("openai:gpt".to_owned()));
        assert_eq!(kind("openai:gpt", &[]), Err(ModelErrorKind::Auth));
        let here = ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
        assert_eq!(kind("openai:a:b", &[here]), Ok("openai:a:b".to_owned()));
        let file = ("OPENAI_BASE_URL", "file:///x");
        for (spec, variables) in [
            ("openai:", vec![]),
            ("other", vec![]),
            ("openai:m", vec![file]),
        ] {
            assert_eq!(
                kind(spec, &variables),
                Err(ModelErrorKind::BadRequest),
                "{spec}"
            );
        }
    }
}
