//! Tables by request id.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::Id;

/// A table by request id.
pub type IdMap<V> = HashMap<Id, V, BuildHasherDefault<IdHasher>>;
/// A set of request ids.
pub type IdSet = HashSet<Id, BuildHasherDefault<IdHasher>>;

/// A cheap hash for request ids.
///
/// A peer that chooses ids which collide gains little: a table of ids holds no more than the
/// requests in flight, which are limited. It also serves tables whose keys no peer chooses. For
/// tables that grow with what peers send, it is the wrong one.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdHasher(u64);

impl IdHasher {
    /// Odd, with bits set all over.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    const fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(Self::FACTOR);
    }
}

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        // The best bits are the highest; a table looks at the lowest, too.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut()
                .zip(chunk)
                .for_each(|(to, from)| *to = *from);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.add(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    fn write_i64(&mut self, n: i64) {
        self.add(n.cast_unsigned());
    }

    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.add(n.cast_unsigned() as u64);
    }
}
