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
        /// Runs the official conformance suite.
        cmd conformance {
            /// `server` or `client`; both if not given.
            optional role: String
            /// Only this requirement set, by its revision.
            optional --requirements revision: String
        }
    }
}
