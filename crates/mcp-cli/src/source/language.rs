//! Which language a file is written in.

/// A language, or a family of languages that comment and quote alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Python,
    /// JavaScript and TypeScript.
    Script,
    Go,
    /// `//` and `/* */`: C, C++, Java, C#, Kotlin, Swift and others.
    CLike,
    /// `#`: shell, Ruby, Perl, Make, configuration files and others.
    Hash,
    /// `--`: Lua, SQL, Haskell and others.
    Dash,
    /// Anything else that is text.
    Text,
}

impl Language {
    /// The language by file name, or by the first line of a script without an extension.
    pub(crate) fn of(path: &str, first_line: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => {
                Self::of_extension(&extension.to_ascii_lowercase())
            }
            _ => Self::of_plain_name(name, first_line),
        }
    }

    /// Whether the functions of a text can be told apart reliably.
    pub(crate) const fn has_functions(self) -> bool {
        matches!(self, Self::Rust | Self::Python | Self::Script | Self::Go)
    }

    fn of_extension(extension: &str) -> Self {
        match extension {
            "rs" => Self::Rust,
            "py" | "pyi" | "pyw" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => Self::Script,
            "go" => Self::Go,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "java" | "cs" | "kt"
            | "kts" | "swift" | "scala" | "dart" | "php" | "m" | "mm" | "groovy" | "gradle"
            | "zig" | "proto" | "glsl" | "css" | "scss" | "less" | "v" | "sv" | "d" => Self::CLike,
            "sh" | "bash" | "zsh" | "fish" | "rb" | "pl" | "pm" | "r" | "jl" | "ex" | "exs"
            | "toml" | "yaml" | "yml" | "ini" | "cfg" | "conf" | "mk" | "cmake" | "nix" | "tf"
            | "awk" | "ps1" | "properties" | "env" => Self::Hash,
            "lua" | "sql" | "hs" | "elm" | "ada" | "adb" | "ads" | "vhd" => Self::Dash,
            _ => Self::Text,
        }
    }

    fn of_plain_name(name: &str, first_line: &str) -> Self {
        if matches!(
            name,
            "Makefile" | "makefile" | "Dockerfile" | "Rakefile" | "Gemfile"
        ) {
            return Self::Hash;
        }
        let Some(program) = first_line.strip_prefix("#!") else {
            return Self::Text;
        };
        if program.contains("python") {
            Self::Python
        } else if program.contains("node") || program.contains("deno") || program.contains("bun") {
            Self::Script
        } else {
            Self::Hash
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_first_lines_tell_the_language() {
        for (path, line, language) in [
            ("src/a.rs", "", Language::Rust),
            ("A.PY", "", Language::Python),
            ("x.d.ts", "", Language::Script),
            ("bin/tool", "#!/usr/bin/env python3", Language::Python),
            ("bin/tool", "#!/bin/sh", Language::Hash),
            (".gitignore", "", Language::Text),
            ("README.md", "#!/bin/sh", Language::Text),
        ] {
            assert_eq!(Language::of(path, line), language, "{path}");
        }
    }
}
