//! From variables to a URI.

use std::fmt::Write as _;

use super::{Pairs, Part, Run, TemplateVars};

pub(super) fn expand(parts: &[Part], vars: &TemplateVars) -> String {
    let mut uri = String::new();
    for part in parts {
        match part {
            Part::Literal(literal) => uri.push_str(literal),
            Part::Run(run) => run.expand(vars, &mut uri),
            Part::Pairs(pairs) => pairs.expand(vars, &mut uri),
        }
    }
    uri
}

impl Run {
    fn expand(&self, vars: &TemplateVars, uri: &mut String) {
        let mut first = true;
        for var in &self.vars {
            for (i, value) in vars.all(&var.name).iter().enumerate() {
                // Without explode the values of one variable are joined by commas.
                let joint = match (first, i) {
                    (true, _) => self.lead,
                    (false, 1..) if !var.explode => Some(b','),
                    (false, _) => Some(self.separator),
                };
                uri.extend(joint.map(char::from));
                encode(value, self.reserved, uri);
                first = false;
            }
        }
    }
}

impl Pairs {
    fn expand(&self, vars: &TemplateVars, uri: &mut String) {
        let mut joint = self.lead;
        for var in &self.vars {
            let values = vars.all(&var.name);
            for (i, value) in values.iter().enumerate() {
                match i {
                    1.. if !var.explode => uri.push(','),
                    _ => self.name(joint, &var.name, value, uri),
                }
                encode(value, false, uri);
                joint = self.separator;
            }
        }
    }

    fn name(&self, joint: u8, name: &str, value: &str, uri: &mut String) {
        uri.push(char::from(joint));
        uri.push_str(name);
        // `;name` alone stands for an empty value.
        if self.lead != b';' || !value.is_empty() {
            uri.push('=');
        }
    }
}

fn encode(value: &str, reserved: bool, uri: &mut String) {
    for byte in value.bytes() {
        let plain = byte.is_ascii_alphanumeric()
            || b"-._~".contains(&byte)
            || (reserved && b":/?#[]@!$&'()*+,;=".contains(&byte));
        if plain {
            uri.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}
