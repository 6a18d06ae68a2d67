//! A range of the lines of a text.

/// The most lines that one answer holds.
pub(super) const MAX_LINES: usize = 2_000;
/// The most bytes that one answer holds.
pub(super) const MAX_BYTES: usize = 256 * 1024;

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part<'t> {
    pub(super) text: &'t str,
    /// What is missing, in words for the reader; `None` if nothing that was asked for.
    pub(super) note: Option<String>,
}

/// The lines from `first` to `last`, counted from 1, as far as the limits allow.
///
/// # Errors
/// In words for the reader, when the text has no such lines.
pub(super) fn part(
    text: &str,
    first: Option<usize>,
    last: Option<usize>,
) -> Result<Part<'_>, String> {
    let total = text.lines().count();
    let first = first.unwrap_or(1);
    if first == 0 {
        return Err("lines are counted from 1".to_owned());
    }
    if last.is_some_and(|last| last < first) {
        return Err("the last line comes before the first".to_owned());
    }
    if first > total.max(1) {
        return Err(format!("there are only {total} lines"));
    }
    let wanted = last.unwrap_or(usize::MAX).min(total);
    let (mut start, mut end, mut shown) = (text.len(), text.len(), first - 1);
    let mut at = 0;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        if number == first {
            start = at;
        }
        let fits = number < first + MAX_LINES && at + line.len() - start.min(at) <= MAX_BYTES;
        if number > wanted || (number >= first && !fits) {
            end = at;
            break;
        }
        at += line.len();
        shown = number.max(shown);
    }
    let shown_text = text.get(start..end).unwrap_or_default();
    if shown < first && total > 0 {
        return Err(format!(
            "line {first} alone is longer than {MAX_BYTES} bytes"
        ));
    }
    let note = (shown < wanted).then(|| {
        format!(
            "[lines {first} to {shown} of {total}; go on with first_line {}]",
            shown + 1
        )
    });
    Ok(Part {
        text: shown_text,
        note,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_out_and_checked() {
        let text = "a\nb\nc";
        let got = |first, last| part(text, first, last).map(|part| part.text);
        assert_eq!(got(None, None), Ok("a\nb\nc"));
        assert_eq!(got(Some(2), Some(2)), Ok("b\n"));
        assert_eq!(got(Some(3), Some(9)), Ok("c"));
        assert!(got(Some(4), None).is_err());
        assert!(got(Some(0), None).is_err());
        assert!(got(Some(3), Some(2)).is_err());
        assert_eq!(part("", None, None).unwrap().text, "");
    }

    #[test]
    fn long_texts_come_in_parts_that_say_so() {
        let text = "x\n".repeat(MAX_LINES + 1);
        let first = part(&text, None, None).unwrap();
        assert_eq!(first.text.len(), 2 * MAX_LINES);
        assert_eq!(
            first.note.unwrap(),
            "[lines 1 to 2000 of 2001; go on with first_line 2001]"
        );
        assert_eq!(part(&text, Some(2001), None).unwrap().note, None);
        let wide = format!("{}\n{}\n", "y".repeat(MAX_BYTES), "z".repeat(MAX_BYTES));
        assert!(part(&wide, None, None).is_err());
        assert!(
            part(&format!("a\n{wide}"), None, None)
                .unwrap()
                .note
                .is_some()
        );
    }
}
