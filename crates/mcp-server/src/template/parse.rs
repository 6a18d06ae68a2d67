//! From the text of a template to its parts.

use super::{Pairs, Part, Run, TemplateError, UriTemplate, Var};

pub(super) fn parse(source: &str) -> Result<Vec<Part>, TemplateError> {
    let fail = |reason| TemplateError {
        // Enough to recognise it; the whole may be long.
        template: source.chars().take(200).collect(),
        reason,
    };
    if source.len() > UriTemplate::MAX_TEMPLATE {
        return Err(fail("it is longer than 4096 bytes"));
    }
    let mut parts = Vec::new();
    let mut expressions = 0;
    let mut rest = source;
    while let Some((literal, after)) = rest.split_once('{') {
        let (expression, after) = after
            .split_once('}')
            .ok_or_else(|| fail("a `{` is never closed"))?;
        push_literal(&mut parts, literal).map_err(fail)?;
        parts.push(parse_expression(expression).map_err(fail)?);
        expressions += 1;
        rest = after;
    }
    push_literal(&mut parts, rest).map_err(fail)?;
    if expressions > UriTemplate::MAX_EXPRESSIONS {
        return Err(fail("it has more than 32 expressions"));
    }
    Ok(parts)
}

fn push_literal(parts: &mut Vec<Part>, literal: &str) -> Result<(), &'static str> {
    if literal.contains('}') {
        return Err("a `}` was never opened");
    }
    if !literal.is_empty() {
        parts.push(Part::Literal(literal.into()));
    }
    Ok(())
}

fn parse_expression(expression: &str) -> Result<Part, &'static str> {
    let (operator, names) = match expression.as_bytes().first() {
        None => return Err("an expression is empty"),
        Some(b @ (b'+' | b'#' | b'.' | b'/' | b';' | b'?' | b'&')) => {
            (Some(*b), expression.get(1..).unwrap_or_default())
        }
        Some(b'=' | b',' | b'!' | b'@' | b'|') => return Err("an operator is reserved"),
        Some(_) => (None, expression),
    };
    let vars = names
        .split(',')
        .map(parse_var)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(match operator {
        Some(lead @ (b';' | b'?' | b'&')) => Part::Pairs(Pairs {
            vars,
            lead,
            separator: if lead == b';' { b';' } else { b'&' },
        }),
        Some(lead @ (b'.' | b'/')) => Part::Run(Run {
            vars,
            lead: Some(lead),
            separator: lead,
            reserved: false,
        }),
        other => Part::Run(Run {
            vars,
            lead: other.filter(|b| *b == b'#'),
            separator: b',',
            reserved: other.is_some(),
        }),
    })
}

fn parse_var(spec: &str) -> Result<Var, &'static str> {
    let (name, explode) = match spec.strip_suffix('*') {
        Some(name) => (name, true),
        None => (spec, false),
    };
    if name.contains(':') {
        return Err("the prefix modifier is not supported");
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '%' | '-');
    if name.is_empty() || !name.chars().all(allowed) {
        return Err("the name of a variable is empty or has characters that are not allowed");
    }
    Ok(Var {
        name: name.into(),
        explode,
    })
}
