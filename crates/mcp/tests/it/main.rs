//! The facade: configuration files, and servers reached through them.

#![expect(
    clippy::excessive_nesting,
    reason = "what runs side by side stands where it is started"
)]

#[cfg(test)]
mod config;
#[cfg(test)]
#[cfg(unix)]
mod config_files;
#[cfg(test)]
#[cfg(unix)]
mod ends;
#[cfg(test)]
#[cfg(unix)]
mod many;
#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod old_http;
#[cfg(test)]
mod served;
#[cfg(test)]
#[cfg(unix)]
mod servers;
#[cfg(test)]
#[cfg(unix)]
mod sessions;
#[cfg(test)]
mod users;
