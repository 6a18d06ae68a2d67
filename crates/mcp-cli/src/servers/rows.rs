//! Results as JSON that people can read, too: one entry of the list on each line.

use serde::Serialize;
use serde_json::{Map, Value};

/// A result: some members, and a list.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    head: Map<String, Value>,
    name: &'static str,
    rows: Vec<Value>,
}

impl Rows {
    /// A list under this name.
    ///
    /// # Errors
    /// When an entry cannot be written as JSON.
    pub(crate) fn new<T: Serialize>(
        name: &'static str,
        entries: &[T],
    ) -> Result<Self, serde_json::Error> {
        Ok(Self {
            head: Map::new(),
            name,
            rows: entries
                .iter()
                .map(serde_json::to_value)
                .collect::<Result<_, _>>()?,
        })
    }

    /// The same result with one more member.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.head.insert(name.to_owned(), value.into());
        self
    }

    /// The text of the result.
    pub(crate) fn text(&self) -> String {
        let mut text = "{".to_owned();
        for (name, value) in &self.head {
            text.push_str(&format!("{}:{value},", Value::from(name.as_str())));
        }
        text.push_str(&format!("{}:[", Value::from(self.name)));
        for (n, row) in self.rows.iter().enumerate() {
            text.push_str(if n == 0 { "\n" } else { ",\n" });
            text.push_str(&row.to_string());
        }
        text.push_str(if self.rows.is_empty() { "]}" } else { "\n]}" });
        text
    }

    /// The result as one value.
    pub(crate) fn value(self) -> Value {
        let mut members = self.head;
        members.insert(self.name.to_owned(), Value::Array(self.rows));
        Value::Object(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_and_value_say_the_same() {
        for entries in [vec![], vec![json!({"a": "x\n\"y"}), json!(2)]] {
            let rows = Rows::new("list", &entries)
                .unwrap()
                .with("total", 2)
                .with("\"", "z");
            let text = rows.text();
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(text.lines().count(), if entries.is_empty() { 1 } else { 4 });
            assert_eq!(value, rows.value());
        }
    }
}
