//! An error with what caused it, for people.

use std::error::Error;
use std::iter::successors;

/// How many causes are followed: an error that is its own cause must not hang anybody.
const CAUSES: usize = 16;

/// An error and everything that caused it, in one line: `a: b: c`.
///
/// What an error has quoted of its cause is not repeated. Of causes within one another, 16 are
/// followed.
///
/// ```
/// use mcp_protocol::{SchemaError, chain};
/// assert_eq!(chain(&SchemaError::new("", "too\nlong")), "too long");
/// ```
#[must_use]
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for cause in successors(error.source(), |cause: &&dyn Error| (*cause).source()).take(CAUSES) {
        let cause = cause.to_string();
        if !text.ends_with(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text.replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use std::{error, fmt};

    use super::chain;

    /// Says so many, and is caused by the next.
    #[derive(Debug)]
    struct Counts(u32, Option<Box<Self>>);

    impl fmt::Display for Counts {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}", self.0)
        }
    }

    impl error::Error for Counts {
        fn source(&self) -> Option<&(dyn error::Error + 'static)> {
            self.1.as_deref().map(|cause| cause as _)
        }
    }

    fn counts(numbers: impl DoubleEndedIterator<Item = u32>) -> Counts {
        let around = |cause, number| Some(Box::new(Counts(number, cause)));
        *numbers.rev().fold(None, around).expect("a number")
    }

    #[test]
    fn causes_stand_behind_one_another_and_quoted_ones_once() {
        assert_eq!(chain(&counts([1, 2, 3].into_iter())), "1: 2: 3");
        assert_eq!(chain(&counts([41, 1, 2].into_iter())), "41: 2");
    }

    #[test]
    fn no_more_than_16_causes_are_followed() {
        let text = chain(&counts(100..200));
        assert!(text.ends_with(": 116"), "{text}");
    }
}
