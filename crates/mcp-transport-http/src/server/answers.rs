//! The answers to one POST.

use mcp_jsonrpc::Response;

/// Nearly always one, which then needs no list.
#[derive(Debug, Default)]
pub(super) struct Answers {
    first: Option<Response>,
    rest: Vec<Response>,
}

impl Answers {
    pub(super) fn push(&mut self, answer: Response) {
        if self.first.is_none() {
            self.first = Some(answer);
        } else {
            self.rest.push(answer);
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// The first one, for requests that come alone.
    pub(super) fn one(self) -> Option<Response> {
        self.first
    }
}

impl From<Response> for Answers {
    fn from(answer: Response) -> Self {
        Self {
            first: Some(answer),
            rest: Vec::new(),
        }
    }
}

impl IntoIterator for Answers {
    type Item = Response;
    type IntoIter = std::iter::Chain<std::option::IntoIter<Response>, std::vec::IntoIter<Response>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.rest)
    }
}
