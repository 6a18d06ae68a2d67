//! Which values a search wants.

use serde_json::{Map, Value};

use super::StoreError;

/// Conditions on the members of a value; all must hold.
///
/// Read from JSON: `{"kind": "note"}` wants a member with that value, an object wants at least
/// its own members, and `{"age": {"$gte": 18, "$lt": 65}}` compares. The operators are `$eq`,
/// `$ne`, `$gt`, `$gte`, `$lt` and `$lte`; the last four compare numbers and hold for nothing
/// else.
///
/// ```
/// use mcp_agent::Filter;
/// use serde_json::json;
/// let filter = Filter::read(&json!({"age": {"$gte": 18}, "name": {"first": "Ada"}})).unwrap();
/// assert!(filter.holds(&json!({"age": 36, "name": {"first": "Ada", "last": "L"}})));
/// assert!(!filter.holds(&json!({"age": 17, "name": {"first": "Ada"}})));
/// assert!(Filter::read(&json!({"age": {"$in": [1]}})).is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter(Vec<(String, Condition)>);

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    Like(Value),
    Compare(Vec<(Operator, Value)>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Filter {
    /// Reads conditions from a JSON object.
    ///
    /// # Errors
    /// If it is no object, or has an unknown operator in it.
    pub fn read(filter: &Value) -> Result<Self, StoreError> {
        let Value::Object(members) = filter else {
            return Err(StoreError::new("a filter is a JSON object"));
        };
        let conditions = members.iter().map(|(name, wanted)| {
            let condition = match wanted {
                Value::Object(inner) if inner.keys().any(|key| key.starts_with('$')) => {
                    Condition::Compare(operators(inner)?)
                }
                other => Condition::Like(other.clone()),
            };
            Ok((name.clone(), condition))
        });
        conditions.collect::<Result<_, StoreError>>().map(Self)
    }

    /// Whether all conditions hold for a value.
    #[must_use]
    pub fn holds(&self, value: &Value) -> bool {
        self.0.iter().all(|(name, condition)| {
            let member = value.get(name);
            match condition {
                Condition::Like(wanted) => member.is_some_and(|member| like(member, wanted)),
                Condition::Compare(comparisons) => comparisons
                    .iter()
                    .all(|(operator, operand)| operator.holds(member, operand)),
            }
        })
    }
}

fn operators(inner: &Map<String, Value>) -> Result<Vec<(Operator, Value)>, StoreError> {
    let each = inner.iter().map(|(name, operand)| {
        let operator = match name.as_str() {
            "$eq" => Operator::Equal,
            "$ne" => Operator::NotEqual,
            "$gt" => Operator::Greater,
            "$gte" => Operator::GreaterOrEqual,
            "$lt" => Operator::Less,
            "$lte" => Operator::LessOrEqual,
            other => {
                let known = "$eq, $ne, $gt, $gte, $lt and $lte";
                let message = format!("there is no operator {other}; there are {known}");
                return Err(StoreError::new(message));
            }
        };
        Ok((operator, operand.clone()))
    });
    each.collect()
}

impl Operator {
    fn holds(self, member: Option<&Value>, operand: &Value) -> bool {
        let numbers = || Some((member?.as_f64()?, operand.as_f64()?));
        let compare = |fits: fn(&f64, &f64) -> bool| numbers().is_some_and(|(a, b)| fits(&a, &b));
        match self {
            Self::Equal => member == Some(operand),
            Self::NotEqual => member != Some(operand),
            Self::Greater => compare(f64::gt),
            Self::GreaterOrEqual => compare(f64::ge),
            Self::Less => compare(f64::lt),
            Self::LessOrEqual => compare(f64::le),
        }
    }
}

/// Equal, or an object with at least the wanted members.
fn like(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Object(value), Value::Object(wanted)) => wanted
            .iter()
            .all(|(name, wanted)| value.get(name).is_some_and(|value| like(value, wanted))),
        _ => value == wanted,
    }
}
