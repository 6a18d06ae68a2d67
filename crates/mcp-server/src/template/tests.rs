//! Matching and expanding URI templates.

use super::{TemplateVars, UriTemplate};

fn template(source: &str) -> UriTemplate {
    UriTemplate::parse(source).unwrap()
}

fn vars(pairs: &[(&str, &str)]) -> TemplateVars {
    pairs
        .iter()
        .fold(TemplateVars::default(), |vars, (name, value)| {
            vars.with(name, *value)
        })
}

#[test]
fn a_variable_ends_at_the_next_slash() {
    let t = template("test://template/{id}/data");
    assert_eq!(
        t.matches("test://template/123/data").unwrap(),
        vars(&[("id", "123")])
    );
    for other in [
        "test://template/1/2/data",
        "test://template//data",
        "test://template/1/data/",
        "test://template/1/dat",
        "x",
        "",
    ] {
        assert_eq!(t.matches(other), None, "{other}");
    }
}

#[test]
fn each_operator_matches_what_it_expands_to() {
    for (source, pairs) in [
        ("x:{a}", &[("a", "1 ü/2")][..]),
        ("x:{a,b}", &[("a", "1"), ("b", "2")]),
        ("x:{a*}", &[("a", "1"), ("a", "2")]),
        ("x:{+a}", &[("a", "b/c?d")]),
        ("x:{+a}/end", &[("a", "b/end/c")]),
        ("x{#a}", &[("a", "frag/ment")]),
        ("x{#a}", &[]),
        ("x{.a}", &[("a", "md")]),
        ("x{/a,b}", &[("a", "1"), ("b", "2")]),
        ("x{/a*}", &[("a", "1"), ("a", "2"), ("a", "3")]),
        ("x{/a*}{?q}", &[("a", "1"), ("q", "a&b=c")]),
        ("x{;a,b}", &[("a", "1"), ("b", "")]),
        ("x{?a,b}", &[("b", "2")]),
        ("x{?a*}", &[("a", "1"), ("a", "2")]),
        ("x?fixed=1{&a}", &[("a", "2")]),
    ] {
        let t = template(source);
        let uri = t.expand(&vars(pairs));
        assert_eq!(t.matches(&uri), Some(vars(pairs)), "{source} as {uri}");
    }
}

#[test]
fn expansion_follows_the_examples_of_the_rfc() {
    let v = vars(&[
        ("var", "value"),
        ("hello", "Hello World!"),
        ("path", "/foo/bar"),
        ("empty", ""),
        ("list", "red"),
        ("list", "green"),
        ("x", "1024"),
        ("y", "768"),
    ]);
    for (source, expected) in [
        ("{hello}", "Hello%20World%21"),
        ("{+hello}", "Hello%20World!"),
        ("{+path}/here", "/foo/bar/here"),
        ("X{#hello}", "X#Hello%20World!"),
        ("map?{x,y}", "map?1024,768"),
        ("X{.x,y}", "X.1024.768"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{list}", "red,green"),
        ("{/list*}", "/red/green"),
        ("{?list*}", "?list=red&list=green"),
        ("{?list}", "?list=red,green"),
        ("{undefined}x{?undefined}", "x"),
    ] {
        assert_eq!(template(source).expand(&v), expected, "{source}");
    }
}

#[test]
fn pairs_come_in_any_order_and_unknown_ones_do_not_match() {
    let t = template("x{?a,b}");
    assert_eq!(
        t.matches("x?b=2&a=1"),
        Some(vars(&[("b", "2"), ("a", "1")]))
    );
    assert_eq!(t.matches("x?a=1&c=3"), None);
    assert_eq!(t.matches("x?"), None);
}

#[test]
fn a_text_that_is_no_template_is_refused() {
    for source in [
        "{", "a}", "{}", "{a", "{=a}", "{a:3}", "{a b}", "{a,}", "{{a}}",
    ] {
        let error = UriTemplate::parse(source).unwrap_err();
        assert!(
            error.to_string().starts_with("invalid URI template"),
            "{source}: {error}"
        );
    }
    assert!(UriTemplate::parse(&"{a}".repeat(UriTemplate::MAX_EXPRESSIONS + 1)).is_err());
    assert!(UriTemplate::parse(&"a".repeat(UriTemplate::MAX_TEMPLATE + 1)).is_err());
}

/// The work is bounded by (parts x length), so the count of steps stands in for the time.
#[test]
fn t13_a_hostile_uri_is_matched_or_refused_in_linear_time() {
    let exploded = template("res://x{/id*}{?tags*}");
    let hostile = format!("res://x/{}!", "a,".repeat(30_000));
    assert!(exploded.matches(&hostile).is_some());
    assert!(exploded.matches(&"res://x/a".repeat(200_000)).is_none());

    let ambiguous = template(&format!(
        "x:{}",
        "{+a}".repeat(UriTemplate::MAX_EXPRESSIONS)
    ));
    assert!(
        ambiguous
            .matches(&format!("x:{}", "a".repeat(60_000)))
            .is_some()
    );
    let never = template(&format!("x:{}!", "{a}a".repeat(31)));
    assert!(
        never
            .matches(&format!("x:{}", "a".repeat(60_000)))
            .is_none()
    );
}
