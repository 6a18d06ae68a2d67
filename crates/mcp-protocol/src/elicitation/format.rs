//! The four formats of text in forms, checked for what a form can get wrong.

use super::StringFormat;

/// Whether the text can be what the format says. An unknown format fits all text.
pub(super) fn fits(format: &StringFormat, text: &str) -> bool {
    match format {
        StringFormat::Email => is_email(text),
        StringFormat::Uri => is_uri(text),
        StringFormat::Date => is_date(text),
        StringFormat::DateTime => is_date_time(text),
        StringFormat::Other(_) => true,
    }
}

/// Something, one `@`, something; no blanks. Only sending mail tells more.
fn is_email(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    parts.is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty())
        && !text.contains(char::is_whitespace)
}

/// A scheme, `:` and something; no blanks.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && !rest.is_empty()
        && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// `2025-06-18`, as in RFC 3339.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut part = |length| parts.next().and_then(|part| digits(part, length));
    let (Some(year), Some(month), Some(day)) = (part(4), part(2), part(2)) else {
        return false;
    };
    parts.next().is_none() && (1..=days(year, month)).contains(&day)
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// `2025-06-18T12:00:00.5+02:00`, as in RFC 3339.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else {
        return false;
    };
    let Some(zone) = time.find(['Z', 'z', '+', '-']) else {
        return false;
    };
    let (clock, zone) = time.split_at(zone);
    is_date(date) && is_clock(clock) && is_zone(zone)
}

fn is_clock(text: &str) -> bool {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = clock.split(':');
    let mut part = |most| {
        let part = parts.next().and_then(|part| digits(part, 2));
        part.is_some_and(|n| n <= most)
    };
    // A minute may have a leap second.
    part(23)
        && part(59)
        && part(60)
        && parts.next().is_none()
        && !fraction.is_empty()
        && fraction.bytes().all(|b| b.is_ascii_digit())
}

fn is_zone(text: &str) -> bool {
    let offset = text
        .strip_prefix(['+', '-'])
        .and_then(|o| o.split_once(':'));
    let within = |text, most| digits(text, 2).is_some_and(|n| n <= most);
    matches!(text, "Z" | "z") || offset.is_some_and(|(h, m)| within(h, 23) && within(m, 59))
}

fn digits(text: &str, length: usize) -> Option<u32> {
    let plain = text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}
