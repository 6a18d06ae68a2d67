//! `mcp resources`, `prompts`, `read`, `prompt` and `ping`.

use serde_json::{Value, json};

use crate::scratch::{Ended, Scratch};
use crate::scripted::{Scripted, configure, files, missing};

/// A repository with a wiki of one page.
fn with_wiki() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("docs/a page.md", "# The page\n\nSome text.\n");
    scratch
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.out).unwrap()
}

#[test]
fn resources_and_prompts_of_each_server_are_listed() {
    let scratch = with_wiki();
    let ended = scratch.mcp(&["resources"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    assert_eq!(
        ended.out,
        "files  no resources\ngit  no resources\nwiki\n  \
         wiki:///a%20page.md  The page, text/markdown\n  \
         wiki:///{+path}      page, text/markdown: A page by its path below the wiki's folder.\n"
    );
    let all = json(&scratch.mcp(&["resources", "wiki", "--json"]));
    assert_eq!(all["servers"].as_array().unwrap().len(), 1);
    assert_eq!(all["servers"][0]["resources"][0]["name"], "a page.md");
    assert_eq!(
        all["servers"][0]["templates"][0]["uriTemplate"],
        "wiki:///{+path}"
    );
    assert_eq!(all["failures"], json!([]));

    let ended = scratch.mcp(&["prompts", "wiki"]);
    assert_eq!(
        ended.out,
        "wiki\n  summarise_page page=  Asks for a summary of one page of the wiki.\n"
    );
    let all = json(&scratch.mcp(&["prompts", "--json"]));
    assert_eq!(
        all["servers"][2]["prompts"][0]["arguments"][0]["name"],
        "page"
    );
}

#[test]
fn a_resource_is_read_as_it_is() {
    let scratch = with_wiki();
    let ended = scratch.mcp(&["read", "wiki", "wiki:///a%20page.md"]);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "# The page\n\nSome text.\n"),
        "{ended:?}"
    );
    let whole = json(&scratch.mcp(&["read", "wiki", "wiki:///a%20page.md", "--json"]));
    assert_eq!(whole["contents"][0]["mimeType"], "text/markdown");

    let blob = Scripted {
        offers: r#"{"resources":{}}"#,
        cases: r#"*'"resources/read"'*) say '"result":{"contents":[{"uri":"x:y","blob":"AP9BCg=="}]}' ;;"#,
        ..Scripted::PLAIN
    };
    configure(&scratch, "b.json", &[("b", blob.write(&scratch, "b"))]);
    let mut read = scratch.command(&["read", "b", "x:y", "--config", "b.json"]);
    let output = read.output().unwrap();
    assert_eq!(output.stdout, b"\0\xffA\n");
}

#[test]
fn a_prompt_is_filled_in() {
    let scratch = with_wiki();
    let ended = scratch.mcp(&["prompt", "wiki", "summarise_page", "page=the page"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.out.ends_with("# The page\n\nSome text.\n"),
        "{ended:?}"
    );
    let whole = scratch.mcp(&["prompt", "wiki", "summarise_page", "page=a page", "--json"]);
    assert_eq!(json(&whole)["messages"][0]["role"], "user");

    let two = Scripted {
        offers: r#"{"prompts":{}}"#,
        cases: r#"*'"prompts/list"'*) say '"error":{"code":-32603,"message":"no list"}' ;;
    *'"prompts/get"'*) say '"result":{"messages":[{"role":"user","content":{"type":"text","text":"Who?"}},{"role":"assistant","content":{"type":"image","data":"AAAA","mimeType":"image/png"}}]}' ;;"#,
        ..Scripted::PLAIN
    };
    configure(&scratch, "two.json", &[("two", two.write(&scratch, "two"))]);
    let ended = scratch.mcp(&["prompt", "two", "any", "--config", "two.json"]);
    assert_eq!(
        ended.out,
        "[user]\nWho?\n\n[assistant]\n[image, image/png, 3 bytes; --json has them]\n"
    );
}

#[test]
fn mistakes_of_the_caller_are_told_from_failures() {
    let scratch = with_wiki();
    for (arguments, code, told) in [
        (&["read", "nobody", "x:y"][..], 2, "files, git, wiki"),
        (&["read", "wiki", "wiki:///none"], 1, "resource not found"),
        (&["read", "files", "x:y"], 1, "resources"),
        (&["prompt", "wiki", "none"], 1, "none"),
        (
            &["prompt", "wiki", "summarise_page"],
            2,
            "needs the argument page",
        ),
        (
            &["prompt", "wiki", "summarise_page", "page"],
            2,
            "KEY=VALUE",
        ),
        (
            &["prompt", "wiki", "summarise_page", "a=", "a="],
            2,
            "twice",
        ),
        (&["resources", "nobody"], 2, "files, git, wiki"),
        (&["tools", "files", "nobody"], 2, "files, git, wiki"),
        (
            &["ping", "--own", "--config", "x"],
            2,
            "cannot be used with",
        ),
    ] {
        let ended = scratch.mcp(arguments);
        assert_eq!(ended.code, Some(code), "{arguments:?} {ended:?}");
        assert!(ended.err.contains(told), "{arguments:?} {ended:?}");
        assert_eq!(ended.out, "", "{arguments:?}");
    }
}

#[test]
fn a_failure_is_shown_with_its_phase_and_hides_nobody_else() {
    let scratch = with_wiki();
    let broken = Scripted {
        offers: r#"{"resources":{},"prompts":{},"tools":{}}"#,
        cases: r#"*'/list"'*) echo jammed >&2; say '"error":{"code":-32603,"message":"no list"}' ;;
    *'"ping"'*) exit 4 ;;"#,
        ..Scripted::PLAIN
    };
    let servers = [
        ("good", files()),
        ("missing", missing()),
        ("broken", broken.write(&scratch, "broken")),
    ];
    configure(&scratch, "servers.json", &servers);
    for (command, phase, none) in [
        ("resources", "list", "good  no resources"),
        ("prompts", "list", "good  no prompts"),
        ("tools", "list", "  read_file "),
        ("ping", "call", "good     "),
    ] {
        let run = |more: &[&str]| {
            let all = [&[command, "--config", "servers.json"], more].concat();
            scratch.mcp(&all)
        };
        let ended = run(&[]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        for told in [
            none,
            "missing  failed in spawn",
            &format!("broken  failed in {phase}"),
        ] {
            assert!(ended.out.contains(told), "{command}: {told} in {ended:?}");
        }
        let all = json(&run(&["--json"]));
        assert_eq!(all["failures"].as_array().unwrap().len(), 2, "{all:#}");
        assert_eq!(all["failures"][1]["phase"], phase, "{all:#}");
        let ended = run(&["missing", "broken"]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
    }
}

#[test]
fn a_server_without_templates_is_no_failure() {
    let scratch = with_wiki();
    let old = Scripted {
        offers: r#"{"resources":{}}"#,
        cases: r#"*'"resources/templates/list"'*) say '"error":{"code":-32601,"message":"no"}' ;;
    *'"resources/list"'*) say '"result":{"resources":[{"uri":"x:y","name":"y"}]}' ;;"#,
        ..Scripted::PLAIN
    };
    configure(&scratch, "old.json", &[("old", old.write(&scratch, "old"))]);
    let ended = scratch.mcp(&["resources", "--config", "old.json"]);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "old\n  x:y  y\n"),
        "{ended:?}"
    );
}

#[test]
fn ping_says_what_each_server_speaks() {
    let scratch = with_wiki();
    let ended = scratch.mcp(&["ping"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines: Vec<&str> = ended.out.lines().collect();
    for (line, server) in lines.iter().zip(["files  ", "git    ", "wiki   "]) {
        assert!(
            line.starts_with(server) && line.ends_with(" ms  2026-07-28"),
            "{line}"
        );
    }
    let all = json(&scratch.mcp(&["ping", "--json"]));
    assert!(all["servers"][2]["milliseconds"].is_number());
}

#[test]
fn a_page_that_cannot_be_read_says_why() {
    let scratch = with_wiki();
    scratch.write("docs/long.md", &"x".repeat(1024 * 1024 + 1));
    for (uri, why) in [
        ("wiki:///long.md", "long.md is too large: 1048577 bytes"),
        ("wiki:///none.md", "resource not found"),
    ] {
        let ended = scratch.mcp(&["read", "wiki", uri]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.err.contains(why), "{ended:?}");
    }
}
