//! How often model and tools may be asked.

use mcp_model::{AssistantMessage, ToolUse};

use super::state::ReactState;
use super::tally::Counts;

/// What happens at a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AtLimit {
    /// The calls beyond it are answered with an error, and the model goes on. Of the model's
    /// own calls there is no going on: then it is the same as [`End`](Self::End).
    Continue,
    /// The same, and the agent ends with a message that says so.
    #[default]
    End,
    /// The run ends with an error.
    Fail,
}

/// How often the model, all tools or one tool may be asked. `None` sets no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimit {
    /// In a thread.
    pub thread: Option<u64>,
    /// From one input to the next.
    pub run: Option<u64>,
    /// What happens then.
    pub at_limit: AtLimit,
}

impl CallLimit {
    /// At most so often from one input to the next; then the agent ends.
    #[must_use]
    pub const fn per_run(calls: u64) -> Self {
        Self {
            thread: None,
            run: Some(calls),
            at_limit: AtLimit::End,
        }
    }

    /// At most so often in a thread; then the agent ends.
    #[must_use]
    pub const fn per_thread(calls: u64) -> Self {
        Self {
            thread: Some(calls),
            run: None,
            at_limit: AtLimit::End,
        }
    }

    /// What happens at the limit.
    #[must_use]
    pub const fn at_limit(mut self, at_limit: AtLimit) -> Self {
        self.at_limit = at_limit;
        self
    }

    /// Says which limit so many calls in all would break.
    fn broken(&self, run: u64, thread: u64) -> Option<String> {
        let over = |limit: Option<u64>, calls: u64, of: &str| {
            let limit = limit.filter(|limit| calls > *limit)?;
            Some(format!("{of} limit ({limit})"))
        };
        over(self.run, run, "run").or_else(|| over(self.thread, thread, "thread"))
    }
}

/// The limits of an agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) model: CallLimit,
    pub(crate) tools: CallLimit,
    pub(crate) tool: Vec<(String, CallLimit)>,
}

/// A limit that is reached.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    pub(crate) what: String,
    pub(crate) at_limit: AtLimit,
}

impl Limits {
    /// Whether the model may not be asked once more, after so many times that are not counted
    /// yet.
    pub(crate) fn model(&self, state: &ReactState, asked: u64) -> Option<Reached> {
        let more = asked + 1;
        let broken = self.model.broken(
            state.tally.run.model_calls + more,
            state.tally.thread.model_calls + more,
        )?;
        Some(Reached {
            what: format!("model call limits exceeded: {broken}"),
            at_limit: self.model.at_limit,
        })
    }

    /// Whether the call at `index` of a round is one too many. The counts are those before the
    /// round.
    pub(crate) fn call(
        &self,
        state: &ReactState,
        round: &AssistantMessage,
        index: usize,
    ) -> Option<Reached> {
        let until: &[ToolUse] = round.tool_calls.get(..=index)?;
        let own = until.last()?;
        let (run, thread) = (&state.tally.run, &state.tally.thread);
        let count = |calls: usize| u64::try_from(calls).unwrap_or(u64::MAX);
        let all = count(until.len());
        let of_all = self
            .tools
            .broken(run.tool_calls + all, thread.tool_calls + all)
            .map(|broken| Reached {
                what: format!("tool call limits exceeded: {broken}"),
                at_limit: self.tools.at_limit,
            });
        let named = self.tool.iter().filter(|(name, _)| *name == own.name);
        let mut of_one = named.filter_map(|(name, limit)| {
            let same = count(until.iter().filter(|call| call.name == *name).count());
            let before = |counts: &Counts| counts.by_tool.get(name).copied().unwrap_or(0);
            let broken = limit.broken(before(run) + same, before(thread) + same)?;
            Some(Reached {
                what: format!("tool call limits of {name} exceeded: {broken}"),
                at_limit: limit.at_limit,
            })
        });
        of_all.or_else(|| of_one.next())
    }

    /// The limit that a round would break and that ends the run with an error. Then none of its
    /// calls is made.
    pub(crate) fn fails(&self, state: &ReactState, round: &AssistantMessage) -> Option<Reached> {
        let limits = self
            .tool
            .iter()
            .map(|(_, limit)| limit)
            .chain([&self.tools]);
        if !limits
            .into_iter()
            .any(|limit| limit.at_limit == AtLimit::Fail)
        {
            return None;
        }
        let calls = 0..round.tool_calls.len();
        calls
            .filter_map(|index| self.call(state, round, index))
            .find(|reached| reached.at_limit == AtLimit::Fail)
    }

    /// The limit that ends the agent after the last round, if one does.
    pub(crate) fn ends_after(&self, state: &ReactState) -> Option<Reached> {
        let (asking, behind) = state.last_round()?;
        // The counts already hold this round: go back to those before it.
        let calls = asking.tool_calls.len();
        if calls == 0 || behind < calls {
            return None;
        }
        let before = self.before(state, asking);
        (0..calls)
            .filter_map(|index| self.call(&before, asking, index))
            .find(|reached| reached.at_limit == AtLimit::End)
    }

    fn before(&self, state: &ReactState, round: &AssistantMessage) -> ReactState {
        let mut tally = (*state.tally).clone();
        let calls = u64::try_from(round.tool_calls.len()).unwrap_or(0);
        for counts in [&mut tally.run, &mut tally.thread] {
            counts.tool_calls = counts.tool_calls.saturating_sub(calls);
            for (name, count) in &mut counts.by_tool {
                let same = round.tool_calls.iter().filter(|call| call.name == *name);
                *count = count.saturating_sub(u64::try_from(same.count()).unwrap_or(0));
            }
        }
        ReactState {
            tally: crate::state::Folded::new(tally),
            ..ReactState::default()
        }
    }

    /// The name under which calls of a tool are counted apart.
    pub(crate) fn counted(&self, name: &str) -> Option<String> {
        let named = self.tool.iter().any(|(limited, _)| limited == name);
        named.then(|| name.to_owned())
    }

    /// Whether there is any limit on tools.
    pub(crate) fn has_tools(&self) -> bool {
        !self.tool.is_empty() || self.tools != CallLimit::default()
    }
}
