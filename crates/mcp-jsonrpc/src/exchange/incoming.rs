//! The requests of the peer that we owe an answer.

use crate::{ErrorObject, Id, IdSet};

#[derive(Debug)]
pub(super) struct Incoming {
    limit: usize,
    owed: IdSet,
}

impl Incoming {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            owed: IdSet::default(),
        }
    }

    /// Notes a request, or says what to answer instead.
    pub(super) fn insert(&mut self, id: &Id) -> Result<(), ErrorObject> {
        let full = self.owed.len() >= self.limit;
        if full && !self.owed.contains(id) {
            return Err(ErrorObject::internal(format!(
                "{} requests wait for their answers already",
                self.limit
            )));
        }
        if !self.owed.insert(id.clone()) {
            return Err(ErrorObject::invalid_request(
                "a request with this id waits for its answer already",
            ));
        }
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
