//! Words: how text is split, which words carry meaning, which are alike.

/// The lower-case words of a text: runs of letters and digits, with `camelCase` and `snake_case`
/// taken apart.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut after_lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_lower) {
            found.extend(take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    found.extend(take(&mut word));
    found
}

fn take(word: &mut String) -> Option<String> {
    (!word.is_empty()).then(|| std::mem::take(word))
}

/// Whether two words are forms of one: `change` and `changed`, `define` and `definition`.
///
/// They are when they begin alike for at least three letters and what follows is short.
pub(crate) fn alike(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let common = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let rest = a.chars().count().max(b.chars().count()) - common;
    match common {
        0..3 => false,
        3 => rest <= 2 && (a.chars().count() == 3 || b.chars().count() == 3),
        4 => rest <= 3,
        _ => rest <= 5 && rest <= common,
    }
}

/// Whether any of `set` is alike to `word`.
pub(crate) fn any_alike<S: AsRef<str>>(set: &[S], word: &str) -> bool {
    set.iter().any(|other| alike(other.as_ref(), word))
}

/// Words that say nothing about what is asked.
pub(crate) fn is_filler(word: &str) -> bool {
    const FILLERS: &[&str] = &[
        "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "by",
        "called", "can", "could", "did", "do", "does", "for", "from", "give", "had", "has", "have",
        "how", "i", "in", "into", "is", "it", "its", "let", "many", "me", "much", "my", "named",
        "of", "on", "or", "our", "please", "s", "shall", "should", "so", "some", "tell", "that",
        "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "us",
        "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why",
        "will", "with", "would", "you", "your",
    ];
    FILLERS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart() {
        assert_eq!(
            words("git__listCommits of HTTP/2"),
            ["git", "list", "commits", "of", "http", "2"]
        );
        assert!(words(" ?! ").is_empty());
    }

    #[test]
    fn forms_of_a_word_are_alike() {
        for (a, b) in [
            ("change", "changed"),
            ("changes", "changed"),
            ("commit", "commits"),
            ("define", "definition"),
            ("file", "files"),
            ("add", "adds"),
            ("search", "searching"),
        ] {
            assert!(alike(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("file", "find"),
            ("page", "path"),
            ("log", "list"),
            ("add", "adopt"),
        ] {
            assert!(!alike(a, b), "{a} {b}");
        }
    }
}
