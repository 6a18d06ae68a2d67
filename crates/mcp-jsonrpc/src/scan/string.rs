//! Strings within JSON text. As everywhere in the scan, a place goes in and one comes out.

/// Most strings end within so many bytes, and are cheapest to walk eight bytes at a time.
const NEAR: usize = 64;

/// What stands between quotation marks, and the second one.
pub(super) fn string(text: &[u8], at: usize) -> Option<usize> {
    // Most are names, of which most end in the first word.
    let first = text.get(at..)?.first_chunk();
    match first.and_then(stop_in) {
        Some(place) => end_of_string(text, at + place),
        None => end_of_string(text, stop(text, at)?),
    }
}

/// The rest of a string, from where it cannot just go on.
fn end_of_string(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'"' => Some(at + 1),
        b'\\' => escaped(text, at + 1),
        _ => None,
    }
}

/// The rest of a string, from behind a backslash.
#[inline(never)]
fn escaped(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = stop(text, escape(text, at)?)?;
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 1,
            _ => return None,
        }
    }
}

fn escape(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 1),
        b'u' if text.get(at + 1..at + 5)?.iter().all(u8::is_ascii_hexdigit) => Some(at + 5),
        _ => None,
    }
}

/// The next byte with which a string cannot just go on: a quotation mark, a backslash, a control.
#[inline(never)]
fn stop(text: &[u8], at: usize) -> Option<usize> {
    let mut rest = text.get(at..)?;
    let far_from = rest.len().saturating_sub(NEAR);
    while let Some((word, behind)) = rest.split_first_chunk() {
        let at = text.len() - rest.len();
        if let Some(place) = stop_in(word) {
            return Some(at + place);
        }
        if behind.len() < far_from {
            return far(text, at);
        }
        rest = behind;
    }
    let place = rest.iter().position(|byte| stops(*byte))?;
    Some(text.len() - rest.len() + place)
}

const fn stops(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1f)
}

/// As [`stop`], in eight bytes at once.
fn stop_in(word: &[u8; 8]) -> Option<usize> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(*word);
    // So changed, quotation mark and controls are the bytes below 0x21, and a backslash is 0. Each
    // leaves its highest bit behind; those above the lowest one may be wrong.
    let (low, backslash) = (word ^ (EACH * 0x02), word ^ (EACH * 0x5c));
    let low = low.wrapping_sub(EACH * 0x21) & !low;
    let backslash = backslash.wrapping_sub(EACH) & !backslash;
    let stops = (low | backslash) & (EACH * 0x80);
    (stops != 0).then(|| stops.trailing_zeros() as usize / 8)
}

/// As [`stop`], in a long string: two passes, each of many bytes at once.
#[inline(never)]
fn far(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let stop = memchr::memchr2(b'"', b'\\', rest)?;
    let control = |found: bool, byte: &u8| found | (*byte < 0x20);
    let control = rest.get(..stop)?.iter().fold(false, control);
    (!control).then_some(at + stop)
}
