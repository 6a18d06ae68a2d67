//! The command line.

xflags::xflags! {
    /// The project's own commands.
    cmd xtask {
        /// Everything that has to pass, in order.
        cmd ci {}
        /// Checks the formatting.
        cmd fmt {}
        /// Runs clippy on all targets; warnings are errors.
        cmd lint {}
        /// Checks that each feature switch compiles alone.
        cmd features {}
        /// Builds the documentation; warnings are errors.
        cmd doc {}
        /// Runs the tests and the documentation's examples.
        cmd test {
            /// Only this package.
            optional package: String
        }
        /// Checks that crates depend only on lower layers, and that the lowest do no I/O.
        cmd layers {}
        /// Checks the rules of the house that no lint knows.
        cmd tidy {}
        /// Drives servers and clients that other people wrote.
        cmd interop {}
        /// Writes which rules of the protocol have a test.
        cmd spec-coverage {
            /// Only checks that the page is up to date.
            optional --check
        }
        /// Makes many mixed requests, with disconnects, cancellations and timeouts.
        cmd soak {
            /// How many; 100,000 if not given.
            optional requests: u64
            /// Where the random numbers begin; 1 if not given.
            optional --seed number: u64
        }
        /// Measures beside the limits and beside other SDKs; writes docs/performance.md.
        cmd bench {
            /// Only this section: stdio, http, pair, memory, start, agent, compile.
            optional group: String
            /// Shorter and fewer turns; only prints.
            optional --quick
            /// Only rows with this in their names; only prints.
            optional --row text: String
            /// Only builds all programs.
            optional --build
            /// Measures what is built.
            optional --no-build
        }
        /// Counts what a call costs on fixed inputs and compares with the committed figures.
        cmd bench-guard {
            /// Takes what is counted for the new figures.
            optional --accept
        }
        /// Runs the official conformance suite.
        cmd conformance {
            /// `server` or `client`; both if not given.
            optional role: String
            /// Only this requirement set, by its revision.
            optional --requirements revision: String
        }
    }
}
