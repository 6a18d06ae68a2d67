//! The requests of the peer that we owe an answer.

use std::collections::HashSet;

use crate::{ErrorObject, Id};

#[derive(Debug)]
pub(super) struct Incoming {
    limit: usize,
    owed: HashSet<Id>,
}

impl Incoming {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            owed: HashSet::new(),
        }
    }

    /// Notes a request, or says what to answer instead.
    pub(super) fn insert(&mut self, id: &Id) -> Result<(), ErrorObject> {
        if self.owed.contains(id) {
            return Err(ErrorObject::invalid_request(
                "a request with this id waits for its answer already",
            ));
        }
        if self.owed.len() >= self.limit {
            return Err(ErrorObject::internal(format!(
                "{} requests wait for their answers already",
                self.limit
            )));
        }
        self.owed.insert(id.clone());
        Ok(())
    }

    pub(super) fn contains(&self, id: &Id) -> bool {
        self.owed.contains(id)
    }

    pub(super) fn remove(&mut self, id: &Id) -> bool {
        self.owed.remove(id)
    }

    pub(super) fn clear(&mut self) {
        self.owed.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.owed.is_empty()
    }
}
