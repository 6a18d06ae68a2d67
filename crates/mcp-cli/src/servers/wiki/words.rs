//! Words of a text in the form in which they are compared.

/// Words that are no topic.
const FILLERS: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does",
    "for", "from", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my",
    "no", "not", "of", "on", "or", "our", "so", "that", "the", "their", "them", "there", "these",
    "they", "this", "those", "to", "us", "was", "we", "were", "what", "when", "where", "which",
    "who", "why", "will", "with", "you", "your",
];

/// A word as it stands, and its stem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) stem: String,
}

impl Word {
    /// Whether the word is no topic.
    pub(super) fn is_filler(&self) -> bool {
        FILLERS.binary_search(&self.text.as_str()).is_ok()
    }
}

/// The words of a text. Signs of scripts that write without blanks are words of their own.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() && !stands_alone(c) {
            word.extend(c.to_lowercase());
            continue;
        }
        push(&mut found, &mut word);
        if stands_alone(c) {
            word.push(c);
            push(&mut found, &mut word);
        }
    }
    push(&mut found, &mut word);
    found
}

/// A question is about no more words than this.
const MAX_TOPIC: usize = 100;

/// The words of a question that say what it is about; all of them if none does. The first 100.
pub(super) fn topic(text: &str) -> Vec<Word> {
    let mut all = words(text);
    let mut topic: Vec<Word> = Vec::new();
    for word in &all {
        if topic.len() == MAX_TOPIC {
            break;
        }
        if !word.is_filler() && !topic.iter().any(|other| other.stem == word.stem) {
            topic.push(word.clone());
        }
    }
    all.truncate(MAX_TOPIC);
    if topic.is_empty() { all } else { topic }
}

fn push(found: &mut Vec<Word>, word: &mut String) {
    if !word.is_empty() {
        let text = std::mem::take(word);
        let stem = stem(&text);
        found.push(Word { text, stem });
    }
}

/// Chinese and Japanese signs.
const fn stands_alone(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// An English word without its ending, so that `deploys`, `deployed`, `deploying` and
/// `deployment` are one. Other words mostly stay as they are.
fn stem(word: &str) -> String {
    /// Longest first. What is left must have at least three letters.
    const ENDINGS: &[&str] = &[
        "izations", "ization", "ations", "ments", "ation", "ition", "ingly", "ness", "ions",
        "ment", "ings", "ing", "ers", "ied", "ies", "ion", "ors", "able", "ally", "ed", "es", "er",
        "or", "ly", "al", "s", "y", "e",
    ];
    if !word.is_ascii() || word.len() < 4 || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word.to_owned();
    }
    if word.ends_with("ss") || word.ends_with("us") {
        return word.to_owned();
    }
    let ending = ENDINGS.iter().find(|ending| {
        let rest = word.strip_suffix(**ending).unwrap_or_default();
        // `retry` has an ending, `deploy` has none.
        rest.len() >= 3 && !(**ending == "y" && rest.ends_with(['a', 'e', 'o', 'u']))
    });
    let Some(ending) = ending else {
        return word.to_owned();
    };
    let mut stem = word.get(..word.len() - ending.len()).unwrap_or(word);
    // `running` and `run`.
    let bytes = stem.as_bytes();
    if let [.., a, b] = bytes
        && a == b
        && !matches!(a, b'l' | b's' | b'z')
        && stem.len() > 3
    {
        stem = stem.get(..stem.len() - 1).unwrap_or(stem);
    }
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &[
                "deploy",
                "deploys",
                "deployed",
                "deploying",
                "deployment",
                "deployments",
            ][..],
            &["configure", "configured", "configuration"],
            &["retry", "retries", "retried"],
            &["run", "runs", "running"],
            &["page", "pages"],
            &["release", "released", "releases"],
            &["cache", "caching", "cached"],
            &["test", "tests", "testing"],
        ] {
            let stems: Vec<String> = forms.iter().map(|word| stem(word)).collect();
            assert!(
                stems.iter().all(|stem| *stem == stems[0]),
                "{forms:?} {stems:?}"
            );
        }
        for (a, b) in [
            ("rest", "rust"),
            ("port", "part"),
            ("class", "clad"),
            ("http2", "http"),
        ] {
            assert_ne!(stem(a), stem(b), "{a} {b}");
        }
    }

    #[test]
    fn topics_have_no_fillers_and_no_word_twice() {
        let texts = |text: &str| {
            topic(text)
                .into_iter()
                .map(|word| word.text)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            texts("how do we deploy the deployed services?"),
            ["deploy", "services"]
        );
        assert_eq!(texts("what is this"), ["what", "is", "this"]);
        assert_eq!(texts("数据 ab"), ["数", "据", "ab"]);
        let endless: Vec<String> = (0..100_000).map(|n| format!("w{n}")).collect();
        assert_eq!(texts(&endless.join(" ")), endless[..100]);
        assert_eq!(texts(&"what ".repeat(100_000)).len(), 100);
    }
}
