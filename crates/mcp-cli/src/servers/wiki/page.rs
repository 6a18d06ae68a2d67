//! A Markdown page, as far as a search has to understand it.

/// A page: title and passages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// Its first heading, or else its file name.
    pub(super) title: String,
    pub(super) passages: Vec<Passage>,
}

/// A paragraph, a list, a table or a block of code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Passage {
    /// The heading that it stands under; empty before the first.
    pub(super) heading: String,
    /// Its first line, from 1.
    pub(super) line: usize,
    pub(super) text: String,
}

/// Passages longer than this are split at the next line, in bytes.
const MAX_PASSAGE: usize = 2_000;

impl Page {
    /// Takes a page apart.
    pub(super) fn parse(path: &str, markdown: &str) -> Self {
        let mut parser = Parser::default();
        let mut lines = (1..).zip(markdown.lines()).peekable();
        // A preface between dashes is data about the page.
        if lines
            .next_if(|(_, line)| line.trim_end() == "---")
            .is_some()
        {
            let mut preface = Vec::new();
            while let Some((_, line)) = lines.next_if(|(_, line)| line.trim_end() != "---") {
                preface.push(line);
            }
            match lines.next() {
                Some(_) => parser.title = title_in(&preface),
                None => return Self::parse(path, markdown.trim_start_matches('-')),
            }
        }
        for (number, line) in lines {
            parser.line(number, line);
        }
        parser.close();
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Self {
            title: parser
                .title
                .unwrap_or_else(|| stem.replace(['-', '_'], " ")),
            passages: parser.passages,
        }
    }
}

/// `title: ...` of a preface.
fn title_in(preface: &[&str]) -> Option<String> {
    let value = preface
        .iter()
        .find_map(|line| line.strip_prefix("title:"))?;
    let title = value.trim().trim_matches(['"', '\'']);
    (!title.is_empty()).then(|| title.to_owned())
}

#[derive(Default)]
struct Parser {
    title: Option<String>,
    heading: String,
    passages: Vec<Passage>,
    open: Option<Passage>,
    /// What ends the block of code that is open.
    fence: Option<String>,
    in_comment: bool,
}

impl Parser {
    fn line(&mut self, number: usize, line: &str) {
        let trimmed = line.trim();
        if let Some(fence) = &self.fence {
            let ends = trimmed.starts_with(fence.as_str());
            self.add(number, line);
            if ends {
                self.fence = None;
            }
            return;
        }
        if self.in_comment || trimmed.starts_with("<!--") {
            self.in_comment = !trimmed.ends_with("-->");
            return self.close();
        }
        if let Some(heading) = heading(line) {
            self.close();
            self.heading = heading.to_owned();
            self.title.get_or_insert_with(|| heading.to_owned());
        } else if trimmed.is_empty() {
            self.close();
        } else if is_underline(trimmed) && self.is_one_line() {
            let heading = self.open.take().unwrap_or_default().text.trim().to_owned();
            self.title.get_or_insert_with(|| heading.clone());
            self.heading = heading;
        } else {
            self.fence = fence(trimmed);
            self.add(number, line);
        }
    }

    fn is_one_line(&self) -> bool {
        self.open
            .as_ref()
            .is_some_and(|open| !open.text.contains('\n'))
    }

    fn add(&mut self, number: usize, line: &str) {
        if self
            .open
            .as_ref()
            .is_some_and(|open| open.text.len() > MAX_PASSAGE)
        {
            self.close();
        }
        match &mut self.open {
            Some(open) => {
                open.text.push('\n');
                open.text.push_str(line);
            }
            None => {
                self.open = Some(Passage {
                    heading: self.heading.clone(),
                    line: number,
                    text: line.to_owned(),
                });
            }
        }
    }

    fn close(&mut self) {
        self.passages.extend(self.open.take());
    }
}

/// The text of a `#` heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t']));
    is_heading.then(|| text.trim().trim_end_matches('#').trim_end())
}

/// Whether a line makes the one before it a heading.
fn is_underline(trimmed: &str) -> bool {
    trimmed.len() >= 2
        && (trimmed.bytes().all(|byte| byte == b'=') || trimmed.bytes().all(|byte| byte == b'-'))
}

/// What ends the block of code that a line begins.
fn fence(trimmed: &str) -> Option<String> {
    let mark = ["```", "~~~"]
        .into_iter()
        .find(|mark| trimmed.starts_with(mark))?;
    let first = mark.chars().next()?;
    let length = trimmed.chars().take_while(|c| *c == first).count();
    // "```x```" on one line is no block.
    let inline = trimmed
        .get(length..)
        .is_some_and(|rest| rest.contains(mark));
    (!inline).then(|| first.to_string().repeat(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_taken_apart() {
        let text = "---\ntitle: \"The Title\"\ntags: x\n---\nintro\nstill intro\n\n# One\n\n- a\n- b\n\
            ```sh\n# no heading\n\nx\n```\n<!-- hidden\n\nhidden -->\nTwo\n---\nbelow\n#no heading\n";
        let page = Page::parse("a/the-page.md", text);
        assert_eq!(page.title, "The Title");
        let shown: Vec<_> = page
            .passages
            .iter()
            .map(|p| (p.heading.as_str(), p.line, p.text.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("", 5, "intro\nstill intro"),
                ("One", 10, "- a\n- b\n```sh\n# no heading\n\nx\n```"),
                ("Two", 22, "below\n#no heading"),
            ]
        );
        assert_eq!(Page::parse("a/the-page.md", "x").title, "the page");
        assert_eq!(Page::parse("p.md", "---\nno end\n").passages.len(), 1);
    }
}
