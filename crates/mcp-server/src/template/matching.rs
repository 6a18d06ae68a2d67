//! Matching in linear time: one pass over the URI for each part, forward to see which positions
//! can be reached, then once back to see which way.

use std::borrow::Cow;

use super::{Pairs, Part, Run, TemplateVars, UriTemplate, Var};

pub(super) fn matches(parts: &[Part], uri: &str) -> Option<TemplateVars> {
    if uri.len() > UriTemplate::MAX_URI || !prefix_fits(parts, uri) {
        return None;
    }
    let text = uri.as_bytes();
    let mut reached = vec![Positions::only(0, text.len())];
    for part in parts {
        let next = part.forward(text, reached.last()?);
        if next.is_empty() {
            return None;
        }
        reached.push(next);
    }
    let mut end = text.len();
    if !reached.pop()?.has(end) {
        return None;
    }
    let mut found = Vec::with_capacity(parts.len());
    for (part, before) in parts.iter().zip(&reached).rev() {
        let start = part.backward(text, before, end)?;
        found.push((part, uri.get(start..end)?));
        end = start;
    }
    let mut vars = TemplateVars::default();
    for (part, text) in found.into_iter().rev() {
        part.read(text, &mut vars);
    }
    Some(vars)
}

/// Most URIs fail here, at the price of one comparison.
fn prefix_fits(parts: &[Part], uri: &str) -> bool {
    match parts.first() {
        Some(Part::Literal(literal)) => uri.starts_with(&**literal),
        _ => true,
    }
}

/// Which positions between the bytes of the URI can be reached.
struct Positions(Vec<bool>);

impl Positions {
    fn none(len: usize) -> Self {
        Self(vec![false; len + 1])
    }

    fn only(position: usize, len: usize) -> Self {
        let mut positions = Self::none(len);
        positions.add(position);
        positions
    }

    fn has(&self, position: usize) -> bool {
        self.0.get(position).copied().unwrap_or(false)
    }

    fn add(&mut self, position: usize) {
        if let Some(slot) = self.0.get_mut(position) {
            *slot = true;
        }
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.0.len()).filter(|i| self.has(*i))
    }

    fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }
}

impl Part {
    /// The ends that can be reached from these starts.
    fn forward(&self, text: &[u8], from: &Positions) -> Positions {
        let mut to = Positions::none(text.len());
        match self {
            Self::Literal(literal) => {
                let literal = literal.as_bytes();
                // Only the start of a literal is compared often, and it fails at the first byte
                // that differs; literals are short (the template's length bounds them).
                from.iter()
                    .filter(|&i| text.get(i..).is_some_and(|t| t.starts_with(literal)))
                    .for_each(|i| to.add(i + literal.len()));
            }
            Self::Run(run) => run.forward(text, from, &mut to),
            Self::Pairs(pairs) => {
                from.iter().for_each(|i| to.add(i));
                // A group of pairs always runs to where no pair can go on.
                if let Some((_, end)) = pairs.only_match(text, from) {
                    to.add(end);
                }
            }
        }
        to
    }

    /// The start from which this end was reached.
    fn backward(&self, text: &[u8], before: &Positions, end: usize) -> Option<usize> {
        match self {
            Self::Literal(literal) => end.checked_sub(literal.len()),
            Self::Run(run) => run.backward(text, before, end),
            Self::Pairs(pairs) => pairs
                .only_match(text, before)
                .filter(|(_, e)| *e == end)
                .map(|(start, _)| start)
                .or_else(|| before.has(end).then_some(end)),
        }
    }

    fn read(&self, text: &str, vars: &mut TemplateVars) {
        match self {
            Self::Literal(_) => {}
            Self::Run(run) => run.read(text, vars),
            Self::Pairs(pairs) => {
                for (name, value) in pairs.split(text) {
                    vars.push(name, decode(value).into_owned());
                }
            }
        }
    }
}

impl Run {
    fn forward(&self, text: &[u8], from: &Positions, to: &mut Positions) {
        let mut open = false;
        for (i, byte) in text.iter().enumerate() {
            open = (open || self.starts(text, from, i)) && self.takes(*byte);
            if open {
                to.add(i + 1);
            }
        }
        if self.lead.is_some() {
            from.iter().for_each(|i| to.add(i));
        }
    }

    /// Whether a value can begin at `i`.
    fn starts(&self, text: &[u8], from: &Positions, i: usize) -> bool {
        match self.lead {
            None => from.has(i),
            Some(lead) => i
                .checked_sub(1)
                .is_some_and(|i| from.has(i) && text.get(i) == Some(&lead)),
        }
    }

    /// Whether a value can hold this byte.
    fn takes(&self, byte: u8) -> bool {
        if self.reserved {
            return true;
        }
        match byte {
            b'?' | b'#' => false,
            b'/' => self.separator == b'/' && self.several(),
            _ => true,
        }
    }

    fn several(&self) -> bool {
        self.vars.len() > 1 || self.vars.iter().any(|v| v.explode)
    }

    fn backward(&self, text: &[u8], before: &Positions, end: usize) -> Option<usize> {
        if self.lead.is_some() && before.has(end) {
            return Some(end);
        }
        let lead = usize::from(self.lead.is_some());
        (0..end)
            .rev()
            .take_while(|i| text.get(*i).is_some_and(|b| self.takes(*b)))
            .find(|i| self.starts(text, before, *i))
            .map(|i| i - lead)
    }

    fn read(&self, text: &str, vars: &mut TemplateVars) {
        let text = match self.lead {
            Some(lead) => text.strip_prefix(char::from(lead)).unwrap_or_default(),
            None => text,
        };
        if text.is_empty() {
            return;
        }
        let mut rest = Some(text);
        let last = self.vars.len().saturating_sub(1);
        for (i, var) in self.vars.iter().enumerate() {
            let Some(text) = rest else { return };
            if var.explode {
                // A list takes all that is left.
                text.split(char::from(self.separator))
                    .for_each(|value| vars.push(&var.name, decode(value).into_owned()));
                return;
            }
            let (value, after) = match text.split_once(char::from(self.separator)) {
                Some((value, after)) if i < last => (value, Some(after)),
                _ => (text, None),
            };
            vars.push(&var.name, decode(value).into_owned());
            rest = after;
        }
    }
}

impl Pairs {
    /// The first start with a valid group of pairs, and where it ends.
    fn only_match(&self, text: &[u8], from: &Positions) -> Option<(usize, usize)> {
        let start = from.iter().find(|i| text.get(*i) == Some(&self.lead))?;
        let ends = |b: &u8| *b == b'#' || (self.lead == b';' && matches!(b, b'/' | b'?'));
        let end = text
            .iter()
            .skip(start)
            .position(ends)
            .map_or(text.len(), |n| start + n);
        let group = std::str::from_utf8(text.get(start..end)?).ok()?;
        self.split(group)
            .all(|(name, _)| self.knows(name))
            .then_some((start, end))
    }

    fn knows(&self, name: &str) -> bool {
        self.vars.iter().any(|Var { name: n, .. }| **n == *name)
    }

    fn split<'a>(&self, group: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let separator = char::from(self.separator);
        group
            .strip_prefix(char::from(self.lead))
            .into_iter()
            .flat_map(move |pairs| pairs.split(separator))
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
    }
}

/// Undoes percent-encoding; text that is not valid UTF-8 afterwards stays as it is.
fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        match (byte, ahead.next().and_then(hex), ahead.next().and_then(hex)) {
            (b'%', Some(high), Some(low)) => {
                out.push(high * 16 + low);
                bytes = ahead;
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|d| u8::try_from(d).ok())
}
