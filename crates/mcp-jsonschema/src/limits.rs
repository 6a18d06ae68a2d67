//! How much of a schema and of a value is taken on.

/// What a [`JsonSchema`](crate::JsonSchema) takes on; more is refused with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest schema, in bytes of compact JSON.
    pub schema_bytes: usize,
    /// How deep the JSON of a schema may be nested.
    pub schema_depth: usize,
    /// How many subschemas a schema may have, in `$defs` or elsewhere: its JSON objects are
    /// counted.
    pub subschemas: usize,
    /// How many regular expressions a schema may have.
    pub patterns: usize,
    /// The largest regular expression, in bytes when compiled.
    pub pattern_bytes: usize,
    /// How deep a value may be nested.
    pub value_depth: usize,
    /// How many subschemas may lie inside one another when a value is checked, with those behind
    /// `$ref` where they are used. It keeps the stack small.
    pub nesting: usize,
    /// The longest check, in steps: a step is one subschema looked at for one value, or 32 bytes
    /// of text matched against one pattern.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            schema_bytes: 256 * 1024,
            schema_depth: 64,
            subschemas: 10_000,
            patterns: 128,
            pattern_bytes: 512 * 1024,
            value_depth: 128,
            nesting: 256,
            steps: 10_000_000,
        }
    }
}
