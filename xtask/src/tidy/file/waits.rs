//! What is public and waits says what dropping its future does.

const SECTION: &str = "# Cancel safety";

/// The functions of a file that do not say it. A section at a trait holds for its functions.
pub(super) fn check(body: &str) -> Vec<String> {
    let lines: Vec<&str> = body.lines().collect();
    let silent = (0..lines.len()).filter_map(|n| {
        let (before, rest) = lines.split_at_checked(n)?;
        let around = trait_around(before);
        let name = waiting(rest, around.is_some())?;
        let said = says(before) || around.is_some_and(says);
        (!said).then(|| format!("{name} does not say what dropping its future does"))
    });
    silent.collect()
}

/// The lines before the trait in whose body the last line is.
fn trait_around<'a, 'b>(lines: &'a [&'b str]) -> Option<&'a [&'b str]> {
    let begin = lines
        .iter()
        .rposition(|line| *line == "}" || line.starts_with("pub trait "))?;
    let is_trait = lines.get(begin).is_some_and(|line| *line != "}");
    is_trait.then_some(lines.get(..begin)?)
}

/// Whether the documentation at the end of these lines has the section.
fn says(lines: &[&str]) -> bool {
    lines
        .iter()
        .rev()
        .map(|line| line.trim_start())
        .take_while(|line| line.starts_with("///") || !line.ends_with(['{', '}', ';', ',']))
        .take_while(|line| !line.is_empty())
        .any(|line| line.contains(SECTION))
}

/// The name of the function that begins with these lines, if it is public and waits.
fn waiting<'a>(lines: &[&'a str], in_trait: bool) -> Option<&'a str> {
    let code = lines.first()?.trim_start();
    let public = code.strip_prefix("pub ");
    let public = if in_trait { Some(code) } else { public }?;
    let (is_async, function) = match public.strip_prefix("async ") {
        Some(function) => (true, function),
        None => (false, public),
    };
    let name = function.strip_prefix("fn ")?.split(['(', '<']).next()?;
    let end = lines
        .iter()
        .position(|line| line.ends_with(['{', '}', ';']))?;
    let head = lines.get(..=end)?.join(" ");
    let waits = is_async || head.contains("-> BoxFuture<") || head.contains("-> impl Future<");
    waits.then_some(name)
}
