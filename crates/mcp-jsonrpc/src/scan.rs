//! Walks over JSON text and builds nothing from it.

mod distinct;
mod index;
pub(crate) mod parse;
mod string;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use distinct::is_distinct;
pub(crate) use index::Index;
use string::string;

/// How deep values may nest here; what is deeper is left to the parser.
const DEPTH: u32 = u128::BITS;

/// The values of these members of a JSON object, as they are written.
///
/// `None` if the text is no object, is not well-formed, or has one of the members twice.
///
/// ```
/// let [name, age] = mcp_jsonrpc::pick(br#"{"name":"Ada","born":1815}"#, ["name", "age"]).unwrap();
/// assert_eq!((name, age), (Some("\"Ada\""), None));
/// ```
pub fn pick<'a, const N: usize>(
    object: &'a [u8],
    names: [&str; N],
) -> Option<[Option<&'a str>; N]> {
    let mut quick = Picked::new(names);
    let take = |name: &[u8], value| {
        quick.take(|known| known == name, object.get(value).unwrap_or_default());
    };
    if self::object(object, take).is_some() {
        return quick.texts();
    }
    let mut exact = Picked::new(names);
    parse::object(object, |name, value| {
        exact.take(|known| known == name.as_bytes(), value.as_bytes());
    })
    .ok()?;
    exact.texts()
}

struct Picked<'n, 'a, const N: usize> {
    names: [&'n str; N],
    values: [Option<&'a [u8]>; N],
    twice: bool,
}

impl<'n, 'a, const N: usize> Picked<'n, 'a, N> {
    const fn new(names: [&'n str; N]) -> Self {
        Self {
            names,
            values: [None; N],
            twice: false,
        }
    }

    fn take(&mut self, is: impl Fn(&[u8]) -> bool, value: &'a [u8]) {
        let slots = self.names.iter().zip(&mut self.values);
        for (_, slot) in slots.filter(|(known, _)| is(known.as_bytes())) {
            self.twice |= slot.replace(value).is_some();
        }
    }

    fn texts(self) -> Option<[Option<&'a str>; N]> {
        let mut texts = [None; N];
        for (text, value) in texts.iter_mut().zip(self.values) {
            *text = value.map(std::str::from_utf8).transpose().ok()?;
        }
        (!self.twice).then_some(texts)
    }
}

/// Hands over the members of an object: each name as it is written, and where its value is.
///
/// `None` if the text is anything else, or a name has escapes: then nothing is known about it,
/// and a parser has to say what it is. What passes here passes there, save that nobody has looked
/// whether it is UTF-8.
pub(crate) fn object<'a>(
    text: &'a [u8],
    mut member: impl FnMut(&'a [u8], Range<usize>),
) -> Option<()> {
    object_with(text, |name, first, at| {
        let end = value(text, first, at)?;
        member(name, at - 1..end);
        Some(end)
    })
}

/// As [`object`], for who walks the values too: each is given by its first byte and the place
/// behind it, and the place where it ends has to come back.
pub(crate) fn object_with<'a>(
    text: &'a [u8],
    mut member: impl FnMut(&'a [u8], u8, usize) -> Option<usize>,
) -> Option<()> {
    let (first, at) = token(text, 0)?;
    if first != b'{' {
        return None;
    }
    let plain = |name: Range<usize>, first, at| {
        let name = text.get(name).filter(|name| !name.contains(&b'\\'))?;
        member(name, first, at)
    };
    let at = members(text, at, plain)?;
    token(text, at).is_none().then_some(())
}

// What follows goes from place to place: each function is given where to look and gives back
// where it has stopped, or `None` where the text is not well-formed.

/// The members of an object of which the brace has been taken, for who walks their values:
/// where the name is, and the value as in [`object_with`].
fn members(
    text: &[u8],
    at: usize,
    mut member: impl FnMut(Range<usize>, u8, usize) -> Option<usize>,
) -> Option<usize> {
    let (mut next, mut at) = token(text, at)?;
    while next != b'}' {
        let (end, colon) = name(text, next, at)?;
        let (first, from) = token(text, colon)?;
        let behind = member(at..end, first, from)?;
        (next, at) = token(text, behind)?;
        match next {
            b',' => (next, at) = token(text, at).filter(|(next, _)| *next != b'}')?,
            b'}' => {}
            _ => return None,
        }
    }
    Some(at)
}

/// The next byte that is not white space, and the place behind it.
fn token(text: &[u8], mut at: usize) -> Option<(u8, usize)> {
    loop {
        let byte = *text.get(at)?;
        at += 1;
        if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            return Some((byte, at));
        }
    }
}

/// The name of a member of which `first` has been taken: the place of its closing quotation mark,
/// and the one behind the colon.
fn name(text: &[u8], first: u8, at: usize) -> Option<(usize, usize)> {
    if first != b'"' {
        return None;
    }
    let behind = string(text, at)?;
    let (colon, at) = token(text, behind)?;
    (colon == b':').then_some((behind - 1, at))
}

/// A value of which `first` has been taken.
pub(crate) fn value(text: &[u8], mut first: u8, mut at: usize) -> Option<usize> {
    let mut levels = Levels::default();
    loop {
        at = match first {
            b'"' => string(text, at)?,
            b'{' | b'[' => {
                let in_object = first == b'{';
                let (next, behind) = token(text, at)?;
                if next == if in_object { b'}' } else { b']' } {
                    behind
                } else {
                    levels.enter(in_object)?;
                    (first, at) = inner(text, in_object, next, behind)?;
                    continue;
                }
            }
            _ => scalar(text, first, at)?,
        };
        loop {
            if levels.depth == 0 {
                return Some(at);
            }
            let in_object = levels.in_object();
            let (next, behind) = token(text, at)?;
            at = behind;
            match (next, in_object) {
                (b',', _) => {
                    let (next, behind) = token(text, at)?;
                    (first, at) = inner(text, in_object, next, behind)?;
                    break;
                }
                (b'}', true) | (b']', false) => levels.leave(),
                _ => return None,
            }
        }
    }
}

/// The first byte of the next value in an object or an array, the name before it skipped.
fn inner(text: &[u8], in_object: bool, first: u8, at: usize) -> Option<(u8, usize)> {
    if in_object {
        let (_, at) = name(text, first, at)?;
        token(text, at)
    } else {
        Some((first, at))
    }
}

/// The objects and arrays around a place, one bit for each.
#[derive(Default)]
struct Levels {
    objects: u128,
    depth: u32,
}

impl Levels {
    fn enter(&mut self, object: bool) -> Option<()> {
        self.objects = self.objects << 1 | u128::from(object);
        self.depth += 1;
        (self.depth <= DEPTH).then_some(())
    }

    fn leave(&mut self) {
        self.objects >>= 1;
        self.depth -= 1;
    }

    const fn in_object(&self) -> bool {
        self.objects & 1 == 1
    }
}

fn scalar(text: &[u8], first: u8, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    match first {
        b't' if rest.starts_with(b"rue") => Some(at + 3),
        b'f' if rest.starts_with(b"alse") => Some(at + 4),
        b'n' if rest.starts_with(b"ull") => Some(at + 3),
        b'-' => number(text, *rest.first()?, at + 1),
        _ => number(text, first, at),
    }
}

/// A number of which the first digit has been taken.
fn number(text: &[u8], first: u8, mut at: usize) -> Option<usize> {
    match first {
        b'0' => {}
        b'1'..=b'9' => at = digits(text, at),
        _ => return None,
    }
    if text.get(at) == Some(&b'.') {
        at = some_digits(text, at + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        let sign = matches!(text.get(at + 1), Some(b'+' | b'-'));
        at = some_digits(text, at + 1 + usize::from(sign))?;
    }
    Some(at)
}

fn digits(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

fn some_digits(text: &[u8], at: usize) -> Option<usize> {
    let end = digits(text, at);
    (end > at).then_some(end)
}
