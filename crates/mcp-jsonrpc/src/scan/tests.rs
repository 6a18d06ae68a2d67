//! What the scan lets pass, compared with the parser.

use proptest::prelude::*;

use super::{Index, Range, is_distinct, object, parse, pick};

type Found<'a> = Vec<(&'a str, &'a str)>;

fn scanned(text: &str) -> Option<Found<'_>> {
    let mut found = Vec::new();
    let take = |name, value: Range<usize>| {
        found.push((std::str::from_utf8(name).unwrap(), text.get(value).unwrap()));
    };
    object(text.as_bytes(), take).map(|()| found)
}

fn parsed(text: &str) -> Option<Vec<(String, &str)>> {
    let mut found = Vec::new();
    parse::object(text.as_bytes(), |name, value| {
        found.push((name.to_owned(), value));
    })
    .ok()?;
    Some(found)
}

fn same(scanned: &Found<'_>, parsed: &[(String, &str)]) -> bool {
    let parsed = parsed.iter().map(|(name, value)| (name.as_str(), *value));
    parsed.eq(scanned.iter().copied())
}

#[test]
fn what_is_not_well_formed_does_not_pass() {
    let texts = [
        "",
        "{",
        "{}x",
        "[]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":[1,]}",
        "{\"a\":[}",
        "{\"a\":{]}",
        "{\"a\":01}",
        "{\"a\":-}",
        "{\"a\":1.}",
        "{\"a\":1e}",
        "{\"a\":tru}",
        "{\"a\":\"\u{1}\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"0123456789abcdef0123456789\n\"}",
        "{'a':1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\" 1}",
    ];
    for text in texts {
        assert_eq!(scanned(text), None, "{text}");
        assert_eq!(parsed(text), None, "{text}");
    }
}

#[test]
fn a_string_ends_where_it_ends_whatever_stands_before() {
    for before in 0..150 {
        for (end, passes) in [
            ("\"", true),
            ("\\\"\"", true),
            ("\\u00e9é\"", true),
            ("\u{7f}\u{80}\"", true),
            ("\u{1f}\"", false),
            ("\\", false),
            ("", false),
        ] {
            let text = format!("{{\"a\":\"{}{end}}}", " !#".repeat(50).split_at(before).0);
            assert_eq!(scanned(&text).is_some(), passes, "{text}");
        }
    }
}

#[test]
fn names_with_escapes_and_deep_values_are_left_to_the_parser() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    for text in [r#"{"\u0061":1}"#, &deep] {
        assert_eq!(scanned(text), None);
        assert_eq!(parsed(text).unwrap().len(), 1);
        assert!(pick(text.as_bytes(), ["a"]).unwrap()[0].is_some());
    }
}

#[test]
fn a_member_that_stands_twice_is_not_picked() {
    assert_eq!(pick(br#"{"a":1,"a":1}"#, ["a"]), None);
    assert_eq!(pick(br#"{"a":1,"\u0061":1}"#, ["a"]), None);
    assert_eq!(pick(br#"{"b":1,"b":1,"a":2}"#, ["a"]), Some([Some("2")]));
}

fn indexed<'a>(text: &'a str, name: &str) -> Option<Option<[Option<&'a str>; 1]>> {
    let (index, end) = Index::of_object(text.as_bytes(), 1).unwrap();
    assert_eq!(end, text.len());
    index.pick(text.as_bytes(), [name])
}

#[test]
fn an_index_finds_what_the_text_has_and_nothing_else() {
    let text = "{ \"ab\" :\t{\"a\":0} ,\"a\": [\"b\" ]\n,\"\":1}";
    for (name, value) in [
        ("ab", Some("{\"a\":0}")),
        ("a", Some("[\"b\" ]")),
        ("", Some("1")),
        ("b", None),
        ("ab\"", None),
        ("ab\" :\t", None),
    ] {
        assert_eq!(indexed(text, name), Some(Some([value])), "{name}");
        assert_eq!(pick(text.as_bytes(), [name]), Some([value]), "{name}");
    }
    assert_eq!(indexed("{}", "a"), Some(Some([None])));
    assert_eq!(indexed(r#"{"a":1,"a":1}"#, "a"), Some(None));
}

#[test]
fn of_names_with_escapes_of_many_members_and_of_long_text_an_index_knows_nothing() {
    let long = format!("{{\"a\":\"{}\",\"b\":1}}", "x".repeat(70_000));
    let many = r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}"#;
    for text in [r#"{"\u0061":1}"#, r#"{"a":1,"\u0061":1}"#, &*long, many] {
        assert_eq!(indexed(text, "a"), None, "{text}");
    }
}

#[test]
fn members_that_stand_twice_are_found_at_any_depth() {
    for text in [
        "1",
        "[]",
        " [1 ,{} ] ",
        r#"{"a":{"b":[{"a":1},{"a":2}],"a":3}}"#,
    ] {
        assert!(is_distinct(text.as_bytes()), "{text}");
    }
    // As deep as the parser goes, and one more.
    let [known, deep] = [127, 128].map(|depth| "[".repeat(depth) + &"]".repeat(depth));
    for (text, reads) in [(&known, true), (&deep, false)] {
        assert_eq!(is_distinct(text.as_bytes()), reads);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(text).is_ok(),
            reads
        );
    }
    let names: Vec<_> = (0..17).map(|n| format!("\"{n}\":0")).collect();
    let many = format!("{{{}}}", names.join(","));
    for text in [
        r#"{"a":1,"a":1}"#,
        r#"[{"b":{"a":1,"c":2,"a":1}}]"#,
        r#"{"a":1,"\u0061":1}"#,
        r#"{"a":"\uda00"}"#,
        r#"{"a":1e999}"#,
        "[1,]",
        "[1",
        "1 2",
        "",
        &*many,
    ] {
        assert!(!is_distinct(text.as_bytes()), "{text}");
    }
}

/// JSON of any shape, with white space where there may be some.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,3})?",
        "\"([a-zé\\PC&&[^\"\\\\]]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4}){0,40}\"",
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let member = ("[a-z_]{1,12}", "[ \n\t]?", inner.clone());
        let member = member.prop_map(|(name, space, value)| format!("\"{name}\"{space}:{value}"));
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(|v| format!("[{}]", v.join(" ,"))),
            proptest::collection::vec(member, 0..5).prop_map(|v| format!("{{{}}}", v.join(", "))),
        ]
    })
}

proptest! {
    #[test]
    fn well_formed_objects_pass_and_are_read_as_the_parser_reads_them(
        a in json(), b in json(), name in "[a-z_]{1,20}",
    ) {
        let text = format!("{{ \"{name}\":{a} ,\"b\" : {b}}}");
        let (scanned, parsed) = (scanned(&text).unwrap(), parsed(&text).unwrap());
        prop_assert!(same(&scanned, &parsed));
        let [first, second] = pick(text.as_bytes(), [&*name, "b"]).unwrap_or_default();
        if let Some(Some(indexed)) = Index::of_object(text.as_bytes(), 1).unwrap().0.pick(
            text.as_bytes(), [&*name, "b"],
        ) {
            prop_assert_eq!(indexed, [first, second]);
        }
    }

    #[test]
    fn what_passes_as_distinct_the_parser_reads(a in json(), with in "[ -~é\\x00\"{}\\[\\],:\\\\]?") {
        let text = format!("{a}{with}");
        if is_distinct(text.as_bytes()) {
            prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_passes_the_parser_reads_alike(
        a in json(), cut in any::<proptest::sample::Index>(), with in "[ -~é\\x00\"{}\\[\\],:\\\\]?",
    ) {
        // One character taken out, or replaced by another.
        let text = format!("{{\"a\":{a},\"b\":[{a}]}}");
        let (at, old) = text.char_indices().nth(cut.index(text.chars().count())).unwrap();
        let text = format!("{}{with}{}", &text[..at], &text[at + old.len_utf8()..]);
        if let Some(scanned) = scanned(&text) {
            prop_assert!(same(&scanned, &parsed(&text).unwrap()), "{text}");
        }
    }
}
