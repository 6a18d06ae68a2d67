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
pub struct Targets(pub(crate) Vec<Goto>);

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
        Self(vec![to(node)])
    }
}

impl From<String> for Targets {
    fn from(node: String) -> Self {
        node.as_str().into()
    }
}

impl From<Goto> for Targets {
    fn from(goto: Goto) -> Self {
        Self(vec![goto])
    }
}

impl From<Vec<Goto>> for Targets {
    fn from(gotos: Vec<Goto>) -> Self {
        Self(gotos)
    }
}

impl From<Vec<&str>> for Targets {
    fn from(nodes: Vec<&str>) -> Self {
        Self(nodes.into_iter().map(to).collect())
    }
}

impl<const N: usize> From<[&str; N]> for Targets {
    fn from(nodes: [&str; N]) -> Self {
        Self(nodes.into_iter().map(to).collect())
    }
}
