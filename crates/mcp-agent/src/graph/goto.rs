//! Where a run goes next.

use mcp_interceptors::Goto;

/// The edge from here leads to the first nodes.
pub const START: &str = "__start__";
/// The edge to here ends its path.
pub const END: &str = "__end__";

/// What a conditional edge decides: any number of nodes, with or without an input of their own.
///
/// It is made from a node's name ([`END`] included), a [`Goto`], or a list of either.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// Mostly it is one.
    first: Option<Goto>,
    more: Vec<Goto>,
}

impl Targets {
    pub(crate) const fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

impl FromIterator<Goto> for Targets {
    fn from_iter<I: IntoIterator<Item = Goto>>(gotos: I) -> Self {
        let mut gotos = gotos.into_iter();
        Self {
            first: gotos.next(),
            more: gotos.collect(),
        }
    }
}

impl IntoIterator for Targets {
    type Item = Goto;
    type IntoIter = std::iter::Chain<std::option::IntoIter<Goto>, std::vec::IntoIter<Goto>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.more)
    }
}

/// A node by its name; [`END`] is the end.
pub(super) fn to(node: &str) -> Goto {
    if node == END {
        Goto::End
    } else {
        Goto::Node(node.to_owned())
    }
}

impl From<&str> for Targets {
    fn from(node: &str) -> Self {
        to(node).into()
    }
}

impl From<String> for Targets {
    fn from(node: String) -> Self {
        node.as_str().into()
    }
}

impl From<Goto> for Targets {
    fn from(goto: Goto) -> Self {
        Self {
            first: Some(goto),
            more: Vec::new(),
        }
    }
}

impl From<Vec<Goto>> for Targets {
    fn from(gotos: Vec<Goto>) -> Self {
        gotos.into_iter().collect()
    }
}

impl From<Vec<&str>> for Targets {
    fn from(nodes: Vec<&str>) -> Self {
        nodes.into_iter().map(to).collect()
    }
}

impl<const N: usize> From<[&str; N]> for Targets {
    fn from(nodes: [&str; N]) -> Self {
        nodes.into_iter().map(to).collect()
    }
}
