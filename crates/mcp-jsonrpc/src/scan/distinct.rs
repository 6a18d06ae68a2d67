//! Whether an object has a member twice, in one walk over the text.

use super::{members, scalar, string, token};

/// The most members of an object that are compared here.
const FEW: usize = 16;

/// How deep values may nest: no deeper than for the parser.
const DEEPEST: u32 = 127;

/// Whether the text is JSON in which no object, however deep, has the same member twice.
///
/// `false` may also mean that this is not known: where names have escapes, strings have code
/// points in digits, numbers are long or have exponents, an object has many members, or values
/// nest deep, a parser has to look.
///
/// ```
/// use mcp_jsonrpc::is_distinct;
/// assert!(is_distinct(br#"{"a":[{"a":1}],"b":2}"#));
/// assert!(!is_distinct(br#"{"a":[{"b":1,"b":2}]}"#));
/// ```
#[must_use]
pub fn is_distinct(json: &[u8]) -> bool {
    let value = token(json, 0).and_then(|(first, at)| value(json, first, at, DEEPEST));
    value.is_some_and(|end| token(json, end).is_none())
}

/// A value of which `first` has been taken, and in which so many may nest.
fn value(text: &[u8], first: u8, at: usize, depth: u32) -> Option<usize> {
    match first {
        b'"' => string(text, at).filter(|end| !has_code_points(text, at, *end)),
        b'{' => object(text, at, depth.checked_sub(1)?),
        b'[' => array(text, at, depth.checked_sub(1)?),
        b't' | b'f' | b'n' => scalar(text, first, at),
        _ => scalar(text, first, at).filter(|end| is_in_range(text, at, *end)),
    }
}

/// Whether a string may have `\u` with digits, of which not all are characters.
fn has_code_points(text: &[u8], at: usize, end: usize) -> bool {
    let string = text.get(at..end).unwrap_or_default();
    memchr::memchr_iter(b'\\', string).any(|at| string.get(at + 1) == Some(&b'u'))
}

/// Whether a number is surely none that is too large to be one for the parser.
fn is_in_range(text: &[u8], at: usize, end: usize) -> bool {
    let number = text.get(at..end).unwrap_or_default();
    number.len() <= 20 && !number.iter().any(|byte| matches!(byte, b'e' | b'E'))
}

fn object(text: &[u8], at: usize, depth: u32) -> Option<usize> {
    let mut names: [&[u8]; FEW] = [&[]; FEW];
    let mut count = 0;
    members(text, at, |name, first, at| {
        let name = text.get(name)?;
        let [before @ .., slot] = names.get_mut(..=count)? else {
            return None;
        };
        if name.contains(&b'\\') || before.contains(&name) {
            return None;
        }
        *slot = name;
        count += 1;
        value(text, first, at, depth)
    })
}

fn array(text: &[u8], at: usize, depth: u32) -> Option<usize> {
    let (mut first, mut at) = token(text, at)?;
    if first == b']' {
        return Some(at);
    }
    loop {
        at = value(text, first, at, depth)?;
        (first, at) = token(text, at)?;
        match first {
            b',' => (first, at) = token(text, at)?,
            b']' => return Some(at),
            _ => return None,
        }
    }
}
