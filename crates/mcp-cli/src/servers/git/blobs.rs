//! Contents of files as git keeps them.

use std::collections::HashMap;

use super::error::GitError;
use super::run::Git;

impl Git {
    /// The contents of these blobs, as far as each is at most `each` and all together at most
    /// `total` bytes. What is missing or larger is left out.
    ///
    /// # Errors
    /// When git cannot be run.
    pub(super) async fn blobs(
        &self,
        hashes: &[String],
        each: usize,
        total: usize,
    ) -> Result<HashMap<String, Vec<u8>>, GitError> {
        if hashes.is_empty() {
            return Ok(HashMap::new());
        }
        let all = format!("{}\n", hashes.join("\n"));
        let sizes = self
            .run(&["cat-file", "--batch-check"], all.as_bytes())
            .await?;
        let mut wanted = String::new();
        let mut left = total;
        for line in String::from_utf8_lossy(&sizes).lines() {
            let mut words = line.split(' ');
            let (hash, kind, size) = (words.next(), words.next(), words.next());
            let size = size.and_then(|size| size.parse::<usize>().ok());
            let (Some(hash), Some("blob"), Some(size)) = (hash, kind, size) else {
                continue;
            };
            if size <= each && size <= left {
                left -= size;
                wanted.push_str(hash);
                wanted.push('\n');
            }
        }
        if wanted.is_empty() {
            return Ok(HashMap::new());
        }
        parse(
            &self
                .run(&["cat-file", "--batch"], wanted.as_bytes())
                .await?,
        )
    }
}

/// Reads `<hash> blob <size>`, a line feed, the content, a line feed, and so on.
fn parse(mut written: &[u8]) -> Result<HashMap<String, Vec<u8>>, GitError> {
    let bad = || GitError::Answer("contents of an unknown form");
    let mut contents = HashMap::new();
    while !written.is_empty() {
        let end = written
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or_else(bad)?;
        let (head, rest) = written.split_at(end);
        let head = std::str::from_utf8(head).map_err(|_| bad())?;
        let mut words = head.split(' ');
        let hash = words.next().ok_or_else(bad)?.to_owned();
        let size = words
            .nth(1)
            .and_then(|size| size.parse::<usize>().ok())
            .ok_or_else(bad)?;
        let content = rest.get(1..=size).ok_or_else(bad)?;
        contents.insert(hash, content.to_vec());
        written = rest.get(size + 2..).unwrap_or_default();
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_taken_apart() {
        let parsed = parse(b"aa blob 3\nx\ny\nbb blob 0\n\n").unwrap();
        assert_eq!(parsed["aa"], b"x\ny");
        assert_eq!(parsed["bb"], b"");
        assert!(parse(b"aa blob 9\nx\n").is_err());
        assert!(parse(b"aa missing\n").is_err());
    }
}
