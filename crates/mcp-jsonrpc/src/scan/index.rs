//! Where the members of an object are, so that who wants one need not walk the text again.

use super::{Picked, members, value};

/// The places of the members of an object, noted while its text was walked.
///
/// Only of objects with few members, of not too much text, whose names have no escapes; of all
/// others nothing is known. It is as small as that, since it moves with each message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Index {
    places: [Place; Self::FEW],
    /// How many there are; more than there is room for if nothing is known.
    count: u8,
}

/// Counted from the brace of the object.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Where the name begins, behind its quotation mark.
    name: u16,
    /// Where the value begins.
    value: u16,
    /// Where it ends.
    end: u16,
}

impl Index {
    const FEW: usize = 5;
    const NOWHERE: Place = Place {
        name: 0,
        value: 0,
        end: 0,
    };

    /// Of an object of which nothing is known.
    pub(crate) const UNKNOWN: Self = Self {
        places: [Self::NOWHERE; Self::FEW],
        count: u8::MAX,
    };

    /// Walks an object of which the brace has been taken: its index, and the place behind it.
    pub(crate) fn of_object(text: &[u8], at: usize) -> Option<(Self, usize)> {
        let mut index = Self {
            count: 0,
            ..Self::UNKNOWN
        };
        let base = at - 1;
        let behind = members(text, at, |name, first, at| {
            let end = value(text, first, at)?;
            let plain = text.get(name.clone())?;
            let place = Place::new(base, name.start, at - 1, end);
            index.add(place.filter(|_| !plain.contains(&b'\\')));
            Some(end)
        })?;
        Some((index, behind))
    }

    fn add(&mut self, place: Option<Place>) {
        let slot = self.places.get_mut(usize::from(self.count));
        match (slot, place) {
            (Some(slot), Some(place)) => {
                *slot = place;
                self.count += 1;
            }
            _ => *self = Self::UNKNOWN,
        }
    }

    /// As [`pick`](super::pick), out of the text that the index is of; the outer `None` where
    /// nothing is known.
    pub(crate) fn pick<'a, const N: usize>(
        &self,
        text: &'a [u8],
        names: [&str; N],
    ) -> Option<Option<[Option<&'a str>; N]>> {
        let mut picked = Picked::new(names);
        for place in self.places.get(..usize::from(self.count))? {
            picked.take(|name| place.has_name(text, name), place.value(text)?);
        }
        Some(picked.texts())
    }
}

impl Place {
    fn new(base: usize, name: usize, value: usize, end: usize) -> Option<Self> {
        let place = |at: usize| u16::try_from(at - base).ok();
        Some(Self {
            name: place(name)?,
            value: place(value)?,
            end: place(end)?,
        })
    }

    /// Between the beginnings of name and value there is one quotation mark, which ends the name.
    fn has_name(self, text: &[u8], name: &[u8]) -> bool {
        let found = text.get(self.name.into()..self.value.into());
        let found = found.unwrap_or_default();
        found.get(name.len()) == Some(&b'"') && found.starts_with(name)
    }

    fn value(self, text: &[u8]) -> Option<&[u8]> {
        text.get(self.value.into()..self.end.into())
    }
}
