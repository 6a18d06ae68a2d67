//! Which page says most about some words, and where.

use std::collections::BTreeMap;

use serde::Serialize;

use super::page::{Page, Passage};
use super::words::{Word, topic, words};

/// A page that says less of what was asked than this share does not answer it.
const COVERAGE: f64 = 0.5;

/// A page that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Hit {
    pub(super) page: String,
    pub(super) title: String,
    /// The heading that the passage stands under.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) heading: String,
    pub(super) line: usize,
    /// What the page says, word for word.
    pub(super) passage: String,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Hits {
    /// The best page first.
    pub(super) pages: Vec<Hit>,
    /// Words of the question that the best page does not have; all of them if there is none.
    pub(super) missing: Vec<String>,
}

/// Searches pages, given with their paths.
pub(super) fn search(pages: &[(String, Page)], question: &str, limit: usize) -> Hits {
    let asked = topic(question);
    if asked.is_empty() {
        return Hits::default();
    }
    let counted: Vec<Counted<'_>> = pages
        .iter()
        .map(|(path, page)| Counted::of(path, page))
        .collect();
    let weights: Vec<f64> = asked.iter().map(|word| weight(word, &counted)).collect();
    let total: f64 = weights.iter().sum();
    let mut ranked: Vec<(f64, f64, &Counted<'_>)> = counted
        .iter()
        .map(|page| {
            let covered = page.covered(&asked, &weights) / total;
            (covered, page.score(&asked, &weights), page)
        })
        .filter(|(covered, ..)| *covered >= COVERAGE)
        .collect();
    ranked.sort_by(|a, b| {
        let by_score = b.1.total_cmp(&a.1);
        b.0.total_cmp(&a.0)
            .then(by_score)
            .then(a.2.path.cmp(b.2.path))
    });
    let missing = |page: &Counted<'_>| {
        let missing = asked.iter().filter(|word| !page.has(word));
        missing.map(|word| word.text.clone()).collect()
    };
    Hits {
        missing: match ranked.first() {
            Some((_, _, best)) => missing(best),
            None => asked.iter().map(|word| word.text.clone()).collect(),
        },
        pages: ranked
            .iter()
            .take(limit)
            .filter_map(|(_, _, page)| page.hit(&asked, &weights))
            .collect(),
    }
}

/// How much a word tells: the fewer pages have it, the more.
fn weight(word: &Word, pages: &[Counted<'_>]) -> f64 {
    let having = pages.iter().filter(|page| page.has(word)).count() as f64;
    let all = pages.len() as f64;
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

/// A page with its words counted.
struct Counted<'p> {
    path: &'p str,
    page: &'p Page,
    /// How often each stem occurs.
    stems: BTreeMap<String, usize>,
    /// Stems of the title and the file's name.
    names: Vec<String>,
    /// Stems of each passage, without fillers.
    passages: Vec<Vec<String>>,
}

impl<'p> Counted<'p> {
    fn of(path: &'p str, page: &'p Page) -> Self {
        let stems_of = |text: &str| {
            words(text)
                .into_iter()
                .map(|word| word.stem)
                .collect::<Vec<_>>()
        };
        let passages: Vec<Vec<Word>> = page
            .passages
            .iter()
            .map(|passage| words(&passage.text))
            .collect();
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let names = stems_of(&format!("{} {stem}", page.title));
        let mut headings: Vec<&str> = page.passages.iter().map(|p| p.heading.as_str()).collect();
        headings.dedup();
        let mut stems = BTreeMap::new();
        let all = passages.iter().flatten().map(|word| word.stem.clone());
        let all = all.chain(headings.iter().flat_map(|heading| stems_of(heading)));
        for stem in all.chain(names.iter().cloned()) {
            *stems.entry(stem).or_insert(0) += 1;
        }
        Self {
            path,
            page,
            stems,
            names,
            passages: passages.into_iter().map(without_fillers).collect(),
        }
    }

    fn has(&self, word: &Word) -> bool {
        self.stems.contains_key(&word.stem)
    }

    fn covered(&self, asked: &[Word], weights: &[f64]) -> f64 {
        let pairs = asked.iter().zip(weights);
        pairs
            .filter(|(word, _)| self.has(word))
            .map(|(_, weight)| weight)
            .sum()
    }

    /// Words count more the rarer they are, in names more than in text, and more often less
    /// and less; the best passage counts as much as all the rest.
    fn score(&self, asked: &[Word], weights: &[f64]) -> f64 {
        let length = self.passages.iter().map(Vec::len).sum::<usize>() as f64;
        let mut score = 0.0;
        for (word, weight) in asked.iter().zip(weights) {
            let count = self.stems.get(&word.stem).copied().unwrap_or_default() as f64;
            score += weight * count / (count + 0.5 + length / 500.0);
            if self.names.contains(&word.stem) {
                score += 1.5 * weight;
            }
        }
        let best = (0..self.passages.len()).map(|at| self.passage_score(at, asked, weights));
        score + best.fold(0.0, f64::max)
    }

    fn passage_score(&self, at: usize, asked: &[Word], weights: &[f64]) -> f64 {
        let (Some(stems), Some(passage)) = (self.passages.get(at), self.page.passages.get(at))
        else {
            return 0.0;
        };
        let heading = words(&passage.heading);
        let mut score = 0.0;
        for (word, weight) in asked.iter().zip(weights) {
            if stems.contains(&word.stem) {
                score += weight;
            }
            if heading.iter().any(|other| other.stem == word.stem) {
                score += 0.6 * weight;
            }
        }
        // The words side by side are what was meant.
        let phrase: Vec<&str> = asked.iter().map(|word| word.stem.as_str()).collect();
        let together = phrase.len() > 1
            && stems
                .windows(phrase.len())
                .any(|window| window.iter().eq(phrase.iter()));
        // Among equals the passage that says little else.
        let hits = stems
            .iter()
            .filter(|stem| phrase.contains(&stem.as_str()))
            .count();
        let share = hits as f64 / stems.len().max(1) as f64;
        (if together { score * 1.5 } else { score }) * (1.0 + share / 4.0)
    }

    /// The page with the passage that says most; among equals the first.
    fn hit(&self, asked: &[Word], weights: &[f64]) -> Option<Hit> {
        let mut best: Option<(f64, &Passage)> = None;
        for (at, passage) in self.page.passages.iter().enumerate() {
            let score = self.passage_score(at, asked, weights);
            if best.is_none_or(|(top, _)| score > top) {
                best = Some((score, passage));
            }
        }
        let (_, passage) = best?;
        Some(Hit {
            page: self.path.to_owned(),
            title: self.page.title.clone(),
            heading: passage.heading.clone(),
            line: passage.line,
            passage: passage.text.clone(),
        })
    }
}

fn without_fillers(words: Vec<Word>) -> Vec<String> {
    let topics = words.into_iter().filter(|word| !word.is_filler());
    topics.map(|word| word.stem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wiki() -> Vec<(String, Page)> {
        [
            ("deploy.md", "# Deploying\n\nShip it.\n\n## Rollback\n\nRun `undo` twice to roll back a deployment.\n"),
            ("retry.md", "# Retry policy\n\nWe retry three times. The retry policy waits longer each time.\n"),
            ("misc.md", "# Misc\n\nDeploy, retry, policy, cats.\n\nPolicy of cats.\n"),
            ("empty.md", ""),
        ]
        .map(|(path, text)| (path.to_owned(), Page::parse(path, text)))
        .to_vec()
    }

    fn best(question: &str) -> Option<(String, String)> {
        let hits = search(&wiki(), question, 3);
        let first = hits.pages.into_iter().next()?;
        Some((first.page, first.passage))
    }

    #[test]
    fn the_page_that_says_most_comes_first() {
        for (question, page, passage) in [
            ("the retry policy", "retry.md", "We retry three"),
            ("deployments", "deploy.md", "Run `undo`"),
            ("rollback", "deploy.md", "Run `undo`"),
            ("cats", "misc.md", "Policy of cats"),
            ("policy of the cats", "misc.md", "Policy of cats"),
        ] {
            let (found, text) = best(question).unwrap();
            assert_eq!(found, page, "{question}");
            assert!(text.contains(passage), "{question}: {text}");
        }
    }

    #[test]
    fn what_no_page_says_is_not_found() {
        for question in ["zebras", "zebra policy", "", "?"] {
            assert_eq!(best(question), None, "{question}");
        }
        assert_eq!(
            search(&wiki(), "zebra policy", 3).missing,
            ["zebra", "policy"]
        );
        assert_eq!(
            search(&wiki(), "roll back deployment zebra", 3).missing,
            ["zebra"]
        );
        assert_eq!(search(&[], "cats", 3).missing, ["cats"]);
    }
}
