//! What a task gave back, to and from the form in which it is kept.

use super::node::NodeOutput;
use crate::checkpoint::StoredOutput;
use crate::state::{Json, State, StateError};
use crate::{Error, ErrorKind};

pub(super) fn stored<U: serde::Serialize>(output: &NodeOutput<U>) -> Result<StoredOutput, Error> {
    let updates = output.updates.iter().map(Json::of);
    Ok(StoredOutput {
        updates: updates.collect::<Result<_, _>>().map_err(unfit)?,
        goto: output.goto.clone(),
        parent: output.parent.clone(),
        last_wins: output.last_wins,
    })
}

pub(super) fn restored<S: State>(output: &StoredOutput) -> Result<NodeOutput<S::Update>, Error> {
    let updates = output
        .updates
        .iter()
        .map(|update| serde_json::from_str(update.as_str()).map_err(StateError::from));
    Ok(NodeOutput {
        updates: updates.collect::<Result<_, _>>().map_err(unfit)?,
        goto: output.goto.clone(),
        parent: output.parent.clone(),
        last_wins: output.last_wins,
    })
}

fn unfit(error: StateError) -> Error {
    let message = "what a task gave back cannot be kept or read";
    Error::new(ErrorKind::State, message).with_source(error)
}
