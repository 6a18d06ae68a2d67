//! The folder that the pages lie in.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::page::Page;
use super::search::{self, Hits};
use crate::root::{Root, RootError, Walk};

/// The longest page, in bytes.
const MAX_PAGE: u64 = 1024 * 1024;
/// The most pages of a wiki.
const MAX_PAGES: usize = 10_000;
/// All pages that one search reads, in bytes.
const MAX_READ: usize = 128 * 1024 * 1024;
/// Entries of folders that are looked at for pages.
const MAX_ENTRIES: usize = 200_000;
/// Where documentation of others lies.
const FOREIGN: &[&str] = &[
    "node_modules",
    "vendor",
    "third_party",
    "target",
    "dist",
    "build",
];

/// A folder of Markdown pages. It is read anew for each question, so it may change.
#[derive(Debug)]
pub(crate) struct Wiki {
    root: Root,
}

impl Wiki {
    /// The pages below a folder.
    ///
    /// # Errors
    /// When it does not exist or is no folder.
    pub(crate) fn open(folder: &Path) -> Result<Self, RootError> {
        Root::open(folder).map(|root| Self { root })
    }

    /// The wiki of a working tree: its folder `wiki` or `docs`, if there are pages in it, or
    /// else all its Markdown files.
    ///
    /// # Errors
    /// When the working tree cannot be read.
    pub(crate) fn of_tree(top: &Path) -> Result<Self, RootError> {
        let folders: [PathBuf; 2] = ["wiki", "docs"].map(|name| top.join(name));
        let with_pages = folders.iter().filter_map(|folder| Self::open(folder).ok());
        let first = with_pages
            .into_iter()
            .find(|wiki| wiki.paths().next().is_some());
        first.map_or_else(|| Self::open(top), Ok)
    }

    pub(super) fn root(&self) -> &Root {
        &self.root
    }

    /// The paths of the pages, in order.
    pub(super) fn paths(&self) -> impl Iterator<Item = String> {
        let is_page = |path: &String| {
            let mut parts = path.split('/').rev();
            let name = parts.next().unwrap_or_default();
            let extension = name.rsplit_once('.').map(|(_, extension)| extension);
            let foreign = parts.any(|part| FOREIGN.contains(&part) || part.starts_with('.'));
            let markdown = extension.is_some_and(|extension| {
                ["md", "markdown"]
                    .iter()
                    .any(|known| extension.eq_ignore_ascii_case(known))
            });
            markdown && !foreign
        };
        let walk = Walk::new(&self.root, "", MAX_ENTRIES).map(|found| found.path);
        walk.filter(is_page).take(MAX_PAGES)
    }

    /// The text of a page.
    ///
    /// # Errors
    /// When there is no such page, or it is no text.
    pub(super) fn text(&self, path: &str) -> Result<String, RootError> {
        self.root.text(Path::new(path), MAX_PAGE)
    }

    /// The path of the page that a reader calls so: by path, without its ending, or by title.
    pub(super) fn find(&self, name: &str) -> Option<String> {
        let name = name.trim().trim_start_matches("./");
        let wanted = name.to_lowercase();
        let fits = |path: &String| {
            let path = path.to_lowercase();
            let stem = path
                .rsplit_once('.')
                .map_or(path.as_str(), |(stem, _)| stem);
            let file = stem.rsplit('/').next().unwrap_or(stem);
            (path == wanted, stem == wanted || file == wanted)
        };
        let paths: Vec<String> = self.paths().collect();
        let by_path = paths.iter().find(|path| fits(path).0);
        let by_name = by_path.or_else(|| paths.iter().find(|path| fits(path).1));
        let by_title = || {
            paths.iter().find(|path| {
                let page = self.text(path).map(|text| Page::parse(path, &text));
                page.is_ok_and(|page| page.title.to_lowercase() == wanted)
            })
        };
        by_name.or_else(by_title).cloned()
    }

    /// The title of a page.
    pub(super) fn title(&self, path: &str) -> String {
        let text = self.text(path).unwrap_or_default();
        Page::parse(path, &text).title
    }

    /// The pages that say most about something.
    pub(super) fn search(
        &self,
        question: &str,
        limit: usize,
        cancelled: &CancellationToken,
    ) -> Hits {
        let mut left = MAX_READ;
        let readable = self
            .paths()
            .take_while(|_| !cancelled.is_cancelled())
            .filter_map(|path| {
                let text = self.text(&path).ok()?;
                left = left.checked_sub(text.len())?;
                let page = Page::parse(&path, &text);
                Some((path, page))
            });
        search::search(&readable.collect::<Vec<_>>(), question, limit)
    }
}
