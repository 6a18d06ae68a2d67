//! The facade: configuration files, and servers reached through them.

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
#[cfg(unix)]
mod servers;
