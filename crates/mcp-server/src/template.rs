//! URI templates (RFC 6570): what a resource template matches, and what it expands to.

mod expand;
mod matching;
mod parse;

use std::fmt;

/// A URI template as in RFC 6570, all operators, without the prefix modifier (`{var:3}`).
///
/// Matching takes time linear in the length of the URI, whatever the template and the URI are.
///
/// ```
/// use mcp_server::UriTemplate;
/// let template = UriTemplate::parse("wiki://{book}/pages{/path*}{?rev}")?;
/// let vars = template.matches("wiki://my%20book/pages/a/b").unwrap();
/// assert_eq!(vars.get("book"), Some("my book"));
/// assert_eq!(vars.all("path"), ["a", "b"]);
/// assert_eq!(vars.get("rev"), None);
/// assert_eq!(template.expand(&vars), "wiki://my%20book/pages/a/b");
/// assert!(template.matches("wiki://other/else").is_none());
/// # Ok::<(), mcp_server::TemplateError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct UriTemplate {
    source: Box<str>,
    parts: Vec<Part>,
}

impl UriTemplate {
    /// The longest template, in bytes.
    pub const MAX_TEMPLATE: usize = 4096;
    /// The most expressions (`{..}`) in a template.
    pub const MAX_EXPRESSIONS: usize = 32;
    /// The longest URI that is matched, in bytes; a longer one does not match.
    pub const MAX_URI: usize = 64 * 1024;

    /// Reads a template.
    ///
    /// # Errors
    /// If it is longer than [`MAX_TEMPLATE`](Self::MAX_TEMPLATE), has more expressions than
    /// [`MAX_EXPRESSIONS`](Self::MAX_EXPRESSIONS), or is not a template.
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        Ok(Self {
            parts: parse::parse(source)?,
            source: source.into(),
        })
    }

    /// The variables of a URI that the template could have been expanded to, decoded.
    ///
    /// A variable of `{var}` and `{+var}` has at least one character; those of the other
    /// operators may be left out. `{var}` ends at `/`, `?` and `#` and takes any other
    /// character, encoded or not. Where several splits are possible, earlier variables take as
    /// much as they can.
    ///
    /// Values are decoded, so that they may hold `/` and `..`: a handler that makes a path of
    /// one has to check it.
    #[must_use]
    pub fn matches(&self, uri: &str) -> Option<TemplateVars> {
        matching::matches(&self.parts, uri)
    }

    /// The URI for these variables. A variable without a value is left out.
    #[must_use]
    pub fn expand(&self, vars: &TemplateVars) -> String {
        expand::expand(&self.parts, vars)
    }

    /// The template as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl fmt::Debug for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UriTemplate({:?})", self.source)
    }
}

/// The variables of a URI template: each name with one value, or with several where the
/// template explodes a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateVars(Vec<(Box<str>, Vec<String>)>);

impl TemplateVars {
    /// The value of a variable; the first of several.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// All values of a variable; empty where it has none.
    #[must_use]
    pub fn all(&self, name: &str) -> &[String] {
        self.0
            .iter()
            .find(|(known, _)| **known == *name)
            .map_or(&[], |(_, values)| values)
    }

    /// The names that have a value, in the order of the template.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// The same variables with one more value for this name.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.push(name, value.into());
        self
    }

    fn push(&mut self, name: &str, value: String) {
        match self.0.iter_mut().find(|(known, _)| **known == *name) {
            Some((_, values)) => values.push(value),
            None => self.0.push((name.into(), vec![value])),
        }
    }
}

/// Why a text is not a URI template that can be matched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid URI template {template:?}: {reason}")]
pub struct TemplateError {
    template: String,
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Text that stands as it is.
    Literal(Box<str>),
    /// `{a,b}`, `{+a}`, `{#a}`, `{.a}`, `{/a}`: values one after another.
    Run(Run),
    /// `{;a}`, `{?a}`, `{&a}`: pairs of name and value.
    Pairs(Pairs),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    vars: Vec<Var>,
    /// Stands before the first value.
    lead: Option<u8>,
    /// Stands between values.
    separator: u8,
    /// Values hold reserved characters as they are.
    reserved: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pairs {
    vars: Vec<Var>,
    lead: u8,
    separator: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Var {
    name: Box<str>,
    /// `*`: a list becomes several values.
    explode: bool,
}

#[cfg(test)]
mod tests;
