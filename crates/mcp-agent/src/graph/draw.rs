//! Drawings of a graph.

use super::compiled::CompiledGraph;
use super::goto::{END, START};
use super::wiring::Exits;
use crate::state::State;

/// An edge as it is drawn.
struct Line {
    from: String,
    to: String,
    /// Whether it may or may not be followed.
    conditional: bool,
}

impl<S: State> CompiledGraph<S> {
    /// The graph as a Mermaid flowchart. An edge that may or may not be followed is dotted; a
    /// conditional edge that says nowhere where it may lead is drawn to every node.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut text = "flowchart TD\n".to_owned();
        text.push_str(&format!("    {}([start])\n", id(START)));
        for spec in &self.0.wiring.nodes {
            text.push_str(&format!(
                "    {}[\"{}\"]\n",
                id(&spec.name),
                escaped(&spec.name)
            ));
        }
        text.push_str(&format!("    {}([end])\n", id(END)));
        for line in self.lines() {
            let arrow = if line.conditional { "-.->" } else { "-->" };
            text.push_str(&format!(
                "    {} {arrow} {}\n",
                id(&line.from),
                id(&line.to)
            ));
        }
        text
    }

    /// The graph in the DOT language of Graphviz. An edge that may or may not be followed is
    /// dashed.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut text = "digraph {\n".to_owned();
        for line in self.lines() {
            let style = if line.conditional {
                " [style=dashed]"
            } else {
                ""
            };
            let (from, to) = (escaped(&line.from), escaped(&line.to));
            text.push_str(&format!("    \"{from}\" -> \"{to}\"{style};\n"));
        }
        text.push_str("}\n");
        text
    }

    fn lines(&self) -> Vec<Line> {
        let wiring = &self.0.wiring;
        let mut lines = self.exits(START, &wiring.start);
        for spec in &wiring.nodes {
            lines.extend(self.exits(&spec.name, &spec.exits));
        }
        lines
    }

    fn exits(&self, from: &str, exits: &Exits<S>) -> Vec<Line> {
        let wiring = &self.0.wiring;
        let line = |to: &str, conditional| Line {
            from: from.to_owned(),
            to: to.to_owned(),
            conditional,
        };
        let mut lines: Vec<Line> = exits
            .edges
            .iter()
            .map(|&to| line(wiring.name(to), false))
            .collect();
        let joined = exits
            .joins
            .iter()
            .filter_map(|&join| wiring.joins.get(join));
        lines.extend(joined.map(|join| line(wiring.name(join.to), false)));
        for route in &exits.routes {
            match &route.among {
                Some(among) => lines.extend(among.iter().map(|to| line(to, true))),
                None => {
                    let nodes = wiring.nodes.iter().map(|spec| line(&spec.name, true));
                    lines.extend(nodes.chain([line(END, true)]));
                }
            }
        }
        let is_last = lines.is_empty();
        lines.extend((exits.ends || is_last).then(|| line(END, false)));
        lines
    }
}

/// A name that Mermaid takes: letters and digits as they are, others by number.
fn id(name: &str) -> String {
    let mut id = "n_".to_owned();
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => id.push(c),
            other => id.push_str(&format!("_{:x}_", u32::from(other))),
        }
    }
    id
}

fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\")
        .replace('"', "'")
        .replace('\n', " ")
}
