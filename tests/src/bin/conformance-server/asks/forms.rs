//! Forms with every kind of field.

use mcp::protocol::elicitation::{
    BooleanSchema, ElicitRequestFormParams, EnumOption, LegacyTitledEnumSchema, NumberSchema,
    NumberType, PrimitiveSchemaDefinition, RequestedSchema, StringSchema,
    TitledMultiSelectEnumSchema, TitledMultiSelectItems, TitledSingleSelectEnumSchema,
    UntitledMultiSelectEnumSchema, UntitledMultiSelectItems, UntitledSingleSelectEnumSchema,
};
use mcp::server::{Context, NoArgs, ServerBuilder};

use crate::tools::tool;

pub(super) fn add(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            tool(
                "test_elicitation_sep1034_defaults",
                "Asks by a form with defaults.",
            ),
            |_: NoArgs, cx: Context| async move {
                let form = ElicitRequestFormParams::new("Please review", defaults());
                let answer = cx.elicit("review", form).await?;
                Ok(format!("Elicitation completed: {}", answer.action))
            },
        )
        .tool(
            tool(
                "test_elicitation_sep1330_enums",
                "Asks by a form with choices.",
            ),
            |_: NoArgs, cx: Context| async move {
                let form = ElicitRequestFormParams::new("Please choose", choices());
                let answer = cx.elicit("choose", form).await?;
                Ok(format!("Elicitation completed: {}", answer.action))
            },
        )
}

fn defaults() -> RequestedSchema {
    let status = strings(["active", "inactive", "pending"]);
    RequestedSchema::new()
        .with_property("name", StringSchema::new().with_default("John Doe"))
        .with_property(
            "age",
            NumberSchema::new(NumberType::Integer).with_default(30),
        )
        .with_property("score", score())
        .with_property(
            "status",
            UntitledSingleSelectEnumSchema::new(status).with_default("active"),
        )
        .with_property("verified", BooleanSchema::new().with_default(true))
}

fn score() -> NumberSchema {
    let schema = NumberSchema::new(NumberType::Number);
    match serde_json::Number::from_f64(95.5) {
        Some(default) => schema.with_default(default),
        None => schema,
    }
}

fn choices() -> RequestedSchema {
    let plain = || strings(["option1", "option2", "option3"]);
    let titled = || {
        vec![
            EnumOption::new("value1", "First Option"),
            EnumOption::new("value2", "Second Option"),
            EnumOption::new("value3", "Third Option"),
        ]
    };
    let legacy = LegacyTitledEnumSchema::new(strings(["opt1", "opt2", "opt3"]));
    let fields: [(&str, PrimitiveSchemaDefinition); 5] = [
        (
            "untitledSingle",
            UntitledSingleSelectEnumSchema::new(plain()).into(),
        ),
        (
            "titledSingle",
            TitledSingleSelectEnumSchema::new(titled()).into(),
        ),
        (
            "legacyEnum",
            legacy
                .with_enum_names(strings(["Option One", "Option Two", "Option Three"]))
                .into(),
        ),
        (
            "untitledMulti",
            UntitledMultiSelectEnumSchema::new(UntitledMultiSelectItems::new(plain())).into(),
        ),
        (
            "titledMulti",
            TitledMultiSelectEnumSchema::new(TitledMultiSelectItems::new(titled())).into(),
        ),
    ];
    fields
        .into_iter()
        .fold(RequestedSchema::new(), |schema, (name, field)| {
            schema.with_property(name, field)
        })
}

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
