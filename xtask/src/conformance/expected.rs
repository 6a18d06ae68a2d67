//! What is known to fail: `tests/conformance/expected.yml`.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use super::legs::Role;

/// Scenarios that are expected to fail, by role. A name that ends in `*` stands for all that
/// begin with it.
#[derive(Default)]
pub(crate) struct Expected {
    server: BTreeSet<String>,
    client: BTreeSet<String>,
}

impl Expected {
    pub(crate) fn contains(&self, role: Role, scenario: &str) -> bool {
        self.names_exactly(role, scenario)
            || self.of(role).iter().any(|name| {
                name.strip_suffix('*')
                    .is_some_and(|prefix| scenario.starts_with(prefix))
            })
    }

    pub(crate) fn names_exactly(&self, role: Role, scenario: &str) -> bool {
        self.of(role).contains(scenario)
    }

    const fn of(&self, role: Role) -> &BTreeSet<String> {
        match role {
            Role::Server => &self.server,
            Role::Client => &self.client,
        }
    }
}

/// Reads the two lists that the file consists of: `server:` and `client:`, each with `- name`.
pub(crate) fn read(text: &str) -> Result<Expected> {
    let mut expected = Expected::default();
    let mut role = None;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        match (line, line.strip_prefix("- "), role) {
            ("", ..) => {}
            ("server:" | "server: []", ..) => role = Some(Role::Server),
            ("client:" | "client: []", ..) => role = Some(Role::Client),
            (_, Some(name), Some(Role::Server)) => drop(expected.server.insert(name.to_owned())),
            (_, Some(name), Some(Role::Client)) => drop(expected.client.insert(name.to_owned())),
            _ => bail!("expected.yml: cannot read {line:?}"),
        }
    }
    Ok(expected)
}
