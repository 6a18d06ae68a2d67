//! Hashes that stay the same from one program and one version to the next.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::state::mix;

/// A hash of parts, each told apart from its neighbours. Not for secrets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(mix(seed ^ 0x6a09_e667_f3bc_c908))
    }

    #[must_use]
    pub(crate) fn text(self, part: &str) -> Self {
        // FNV-1a, then mixed with the length so that parts cannot run into each other.
        let fnv = part.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
        self.number(fnv).number(length)
    }

    #[must_use]
    pub(crate) const fn number(self, part: u64) -> Self {
        Self(mix(
            self.0.rotate_left(17) ^ part.wrapping_add(0x9e37_79b9_7f4a_7c15)
        ))
    }

    /// A JSON value; the order of an object's members does not count.
    #[must_use]
    pub(crate) fn value(self, value: &Value) -> Self {
        match value {
            Value::Null => self.number(0),
            Value::Bool(value) => self.number(1).number(u64::from(*value)),
            Value::Number(number) => self.number(2).text(&number.to_string()),
            Value::String(text) => self.number(3).text(text),
            Value::Array(items) => {
                let length = u64::try_from(items.len()).unwrap_or(u64::MAX);
                items
                    .iter()
                    .fold(self.number(4).number(length), Self::value)
            }
            Value::Object(members) => {
                let sorted: BTreeMap<_, _> = members.iter().collect();
                let add =
                    |hash: Self, (name, value): (&String, &Value)| hash.text(name).value(value);
                sorted.into_iter().fold(self.number(5), add).number(6)
            }
        }
    }

    pub(crate) const fn finish(self) -> u64 {
        mix(self.0)
    }

    /// 128 bits as 32 hexadecimal digits.
    pub(crate) fn wide(self) -> String {
        format!("{:016x}{:016x}", self.finish(), self.number(1).finish())
    }
}

/// Fills the room with the last digits of a number, in hexadecimal.
pub(crate) fn write_hex(mut number: u64, room: &mut [u8]) {
    for place in room.iter_mut().rev() {
        let [last, ..] = number.to_le_bytes();
        *place = match last & 0xf {
            digit @ 0..=9 => b'0' + digit,
            digit => b'a' + (digit - 10),
        };
        number >>= 4;
    }
}
