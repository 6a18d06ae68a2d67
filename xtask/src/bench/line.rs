//! A line of the table: a figure, what it is compared with, what it should be.

use std::fmt::Write as _;

/// One comparison.
pub(crate) struct Line {
    row: String,
    /// The other side, or the unit.
    with: String,
    figure: f64,
    target: Target,
}

/// What the figure should be.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    AtLeast(f64),
    AtMost(f64),
    /// Told for what it is worth.
    None,
}

impl Line {
    pub(crate) fn new(
        row: impl Into<String>,
        with: impl Into<String>,
        figure: f64,
        target: Target,
    ) -> Self {
        Self {
            row: row.into(),
            with: with.into(),
            figure,
            target,
        }
    }

    /// The figure; none where the other side did not finish.
    fn text(&self) -> String {
        let digits = if self.figure.fract() == 0.0 || self.figure >= 100.0 {
            0
        } else {
            2
        };
        match self.figure.is_finite() {
            true => format!("{:.digits$}", self.figure),
            false => "does not finish".to_owned(),
        }
    }

    fn verdict(&self) -> &'static str {
        let met = match self.target {
            Target::AtLeast(least) => self.figure >= least,
            Target::AtMost(most) => self.figure <= most,
            Target::None => return "",
        };
        if met { "yes" } else { "**no**" }
    }
}

impl Target {
    fn text(self) -> String {
        match self {
            Self::AtLeast(least) => format!("at least {least}"),
            Self::AtMost(most) => format!("at most {most}"),
            Self::None => String::new(),
        }
    }
}

/// The lines as a table of Markdown.
pub(crate) fn text(title: &str, lines: &[Line]) -> String {
    let mut text = format!(
        "## {title}\n\n| row | compared with | figure | target | met |\n|---|---|---:|---|---|\n"
    );
    for line in lines {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            line.row,
            line.with,
            line.text(),
            line.target.text(),
            line.verdict()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Line, Target, text};

    #[test]
    fn a_line_says_whether_its_target_is_met() {
        let line = |figure, target| {
            let text = text("Calls", &[Line::new("row", "other", figure, target)]);
            text.lines().last().unwrap_or_default().to_owned()
        };
        let least = Target::AtLeast(0.85);
        assert_eq!(
            line(0.9, least),
            "| row | other | 0.90 | at least 0.85 | yes |"
        );
        assert_eq!(
            line(0.8, least),
            "| row | other | 0.80 | at least 0.85 | **no** |"
        );
        let most = Target::AtMost(20.0);
        assert_eq!(line(19.0, most), "| row | other | 19 | at most 20 | yes |");
        let none = line(f64::NAN, Target::None);
        assert_eq!(none, "| row | other | does not finish |  |  |");
    }
}
