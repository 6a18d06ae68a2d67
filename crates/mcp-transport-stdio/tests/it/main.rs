//! The stdio transport with real processes: shell scripts as servers, and this test program
//! itself, started again in another role.

#[cfg(test)]
#[cfg(unix)]
mod child_end;
#[cfg(test)]
#[cfg(unix)]
mod child_run;
#[cfg(test)]
#[cfg(unix)]
mod child_start;
#[cfg(test)]
mod lines;
#[cfg(test)]
#[cfg(unix)]
mod own;
#[cfg(test)]
#[cfg(unix)]
mod roles;
#[cfg(test)]
#[cfg(unix)]
mod support;
