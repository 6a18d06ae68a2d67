//! The tests in a Rust file, by name.

/// The functions that the test harness runs: not helpers, and not what is switched off.
pub(crate) fn tests_in(content: &str) -> impl Iterator<Item = &str> {
    let (mut is_test, mut is_off) = (false, false);
    content
        .lines()
        .map(str::trim_start)
        .filter_map(move |line| {
            let is_attribute = line.starts_with("#[");
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            is_off |= line.starts_with("#[ignore");
            let name = function(line);
            let found = name.filter(|_| is_test && !is_off);
            if name.is_some() || !(is_attribute || line.starts_with("//")) {
                // Attributes of several lines end in `)]`; everything else ends what they apply to.
                let goes_on = name.is_none() && !line.ends_with(['}', ';']);
                (is_test, is_off) = (is_test && goes_on, is_off && goes_on);
            }
            found
        })
}

fn function(line: &str) -> Option<&str> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.strip_prefix("fn ")?.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_is_a_test() {
        let file = "
            fn helper() {}
            #[test]
            fn one() {}
            /// Said of it.
            #[tokio::test(start_paused = true)]
            // And more.
            #[cfg(unix)]
            async fn two() {}
            #[test]
            #[ignore = \"too slow\"]
            fn off() {}
            #[tokio::test(
                flavor = \"multi_thread\"
            )]
            async fn three() {}
            async fn another_helper<T>() {}
        ";
        assert_eq!(tests_in(file).collect::<Vec<_>>(), ["one", "two", "three"]);
    }
}
