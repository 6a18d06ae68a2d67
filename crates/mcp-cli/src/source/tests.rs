//! What each language is found to define.

use super::{Language, added_functions, definitions};

/// `kind full_name line` for everything that `text` defines. An arrow in the text is a tab.
fn found(language: Language, text: &str) -> Vec<String> {
    let all = definitions(language, &text.replace('→', "\t"));
    all.iter()
        .map(|d| format!("{} {} {}", d.kind, d.full_name(language), d.line))
        .collect()
}

fn functions(language: Language, text: &str) -> Vec<String> {
    added_functions(language, "", text)
}

#[test]
fn rust_items_are_found() {
    let text = r##"
//! fn no() {}
use x::y;
pub(crate) const fn alpha<T: Fn() -> u8>(a: [u8; { 1 + 2 }]) -> impl Iterator<Item = u8> { fn inner() {} }
impl<'a, T> fmt::Display for a::Foo<'a, T> where T: X {
    fn fmt(&self) -> Result { let s = "fn no()"; /* fn no() */ }
}
unsafe impl Bar { pub async unsafe fn go() {} type T = u8; const C: u8 = 1; }
trait Tr { fn declared(&self); fn given() {} }
mod m { struct S { f: fn(u8) } enum E { A } static mut X: u8 = 0; fn in_m() {} }
macro_rules! mac { ($n:ident) => { fn $n() {} } }
extern "C" { fn c_side(x: u8); }
fn r#try() {}
impl Foo { fn after() { let r = r#"fn no() {"#; } }
"##;
    assert_eq!(
        found(Language::Rust, text),
        [
            "function alpha 4",
            "function inner 4",
            "method Foo::fmt 6",
            "method Bar::go 8",
            "type Bar::T 8",
            "constant Bar::C 8",
            "trait Tr 9",
            "method Tr::declared 9",
            "method Tr::given 9",
            "module m 10",
            "struct S 10",
            "enum E 10",
            "static X 10",
            "function in_m 10",
            "macro mac 11",
            "function c_side 12",
            "function try 13",
            "method Foo::after 14",
        ]
    );
}

#[test]
fn python_functions_and_classes_are_found() {
    let text = r#"
"""
def no(): pass
"""
# def no2(): pass
LIMIT: int = 3
class A(B):
    x = 1
    @property
    def beta(self): return "def no3():"
    async def later(self,
        y=lambda: 0,
    ):
        def inner(): pass
def top(): pass
if LIMIT:
→def tabbed(): pass
else: z = 1
s = f('''
def no4():
''')
"#;
    assert_eq!(
        found(Language::Python, text),
        [
            "variable LIMIT 6",
            "class A 7",
            "variable A.x 8",
            "method A.beta 10",
            "method A.later 11",
            "function inner 14",
            "function top 15",
            "function tabbed 17",
            "variable s 19",
        ]
    );
}

#[test]
fn script_functions_are_found() {
    let text = r#"
// function no() {}
function gamma() { return "function no2() {"; }
export default async function* gen() {}
const delta = () => 1;
export const eps: Handler<A> = async (x: { a: B }): Promise<{ c: D }> => { if (x) { y(); } };
let zeta = function () {}, n = 3;
const eta = x => x * 2, theta = 5;
const iota = <T,>(x: T) => x;
const notAFunction = call(() => 1);
items.map((x) => x).filter(function (y) { return y; });
setTimeout(() => {}, 5);
class K extends L<M> {
  static async run<T>(a: T): Promise<T> { if (a) { b(); } for (;;) {} return a; }
  get size() { return 1; }
  #hidden() {}
  field = async () => {};
  value = 3;
  abstract shape(): void;
}
export default { name: "x", methods: { kappa() {}, lambda: function () {}, mu: () => 1, nu: 2 } };
exports.xi = function () {};
Thing.prototype.pi = () => {};
el.onclick = () => {};
interface I { f(): void; g: () => void }
type F = (a: number) => void;
const re = /function no3() {/; const t = `function no4() { ${(() => { function rho() {} })()} `;
switch (a) { case 1: { foo(); break; } }
"#;
    assert_eq!(
        functions(Language::Script, text),
        [
            "gamma", "gen", "delta", "eps", "zeta", "eta", "iota", "K.run", "K.size", "K.hidden",
            "K.field", "kappa", "lambda", "mu", "xi", "Thing.pi", "rho",
        ]
    );
    let all = found(Language::Script, text).join("\n");
    for definition in [
        "class K 13",
        "interface I 25",
        "type F 26",
        "variable notAFunction 10",
    ] {
        assert!(all.contains(definition), "{definition} in {all}");
    }
}

#[test]
fn go_declarations_are_found() {
    let text = r#"package p
// func no() {}
func Alpha(a func() int) (b int) { func() { type local int }(); return 0 }
func (s *Stack[T]) Push(x T) {}
func Map[T, U any](xs []T) []U { return nil }
type Stack[T any] struct { items []T; f func() }
type (
→A int
→B interface { M(x int) }
)
const (
→One = iota
→Two
)
var handler = func() {}
var text = `
func no2() {}
`
"#;
    assert_eq!(
        found(Language::Go, text),
        [
            "function Alpha 3",
            "method Stack.Push 4",
            "function Map 5",
            "type Stack 6",
            "type A 8",
            "type B 9",
            "constant One 12",
            "constant Two 13",
            "function handler 15",
            "variable text 16",
        ]
    );
}

#[test]
fn other_languages_are_read_by_their_keywords() {
    let c = "#define MAX 3\nstatic int add(int a, int b)\n{\n  return sum(a, b);\n}\nint decl(int);\nstruct point { int x; };\nstruct point origin;\nvoid f(void) { if (x) { g(); } }\n";
    assert_eq!(
        found(Language::CLike, c),
        [
            "macro MAX 1",
            "function add 2",
            "struct point 7",
            "function f 9"
        ]
    );
    let java = "public final class Box<T> {\n  private static List<T> all(int n) {\n    return new List<T>(n) {};\n  }\n}\n";
    assert_eq!(
        found(Language::CLike, java),
        ["class Box 1", "function all 2"]
    );
    let shell = "# f() {\nNAME=1\ndeploy() {\n  x=2\n}\nfunction again {\n";
    assert_eq!(
        found(Language::Hash, shell),
        ["variable NAME 2", "function deploy 3", "function again 6"]
    );
    let ruby = "module M\n  class C < D\n    def self.make(x)\n";
    assert_eq!(
        found(Language::Hash, ruby),
        ["module M 1", "class C 2", "function make 3"]
    );
}

#[test]
fn only_what_is_new_counts_as_added() {
    let old = "fn a() {}\nfn b(x: u8) {}\nimpl T { fn new() {} }\n";
    let new =
        "fn a() {}\nfn b(x: u16) {}\nimpl U { fn new() {} }\nimpl T { fn new() {} }\nfn c() {}\n";
    assert_eq!(added_functions(Language::Rust, old, new), ["U::new", "c"]);
    assert!(added_functions(Language::Rust, new, old).is_empty());
    let old = "impl A for T { fn f() {} }";
    let new = "impl A for T { fn f() {} } impl B for T { fn f() {} }";
    assert_eq!(added_functions(Language::Rust, old, new), ["T::f"]);
}

#[test]
fn hostile_text_takes_time_and_memory_in_proportion_to_its_length() {
    let long_name = format!("impl {} {{", "A".repeat(250));
    for (language, piece) in [
        (Language::Rust, "mod a {"),
        (Language::Rust, "}impl"),
        (Language::Rust, "}impl<"),
        (Language::Rust, "fn a(){}"),
        (Language::Rust, &long_name),
        (Language::Script, "class a {"),
        (Language::Script, "function a() {"),
        (Language::Script, "/["),
        (Language::Script, "a():<"),
        (Language::Script, "`${"),
        (Language::Go, "func ("),
        (Language::Python, "class a:\n "),
        (Language::CLike, "class "),
    ] {
        let text = piece.repeat(400_000 / piece.len());
        let found = definitions(language, &text);
        let kept: usize = found.iter().map(|d| d.name.len() + d.scope.len()).sum();
        assert!(kept < 300 * text.len(), "{piece}");
    }
    let many = "fn a(){}".repeat(50_000);
    let others = "fn b(){}".repeat(50_000);
    assert_eq!(added_functions(Language::Rust, &many, &others), ["b"]);
}

#[test]
fn a_word_that_is_too_long_is_no_name() {
    let text = |length| format!("impl {} {{ fn a() {{}} }}", "T".repeat(length));
    assert_eq!(found(Language::Rust, &text(250))[0].len(), 262);
    assert_eq!(found(Language::Rust, &text(251)), ["method impl::a 1"]);
}
