//! Server-sent events, as far as models use them: the data of each event.

/// Puts the data of events together from pieces that end anywhere.
///
/// What it holds is never more than what it was given; whoever reads the body limits that.
#[derive(Debug, Default)]
pub(crate) struct EventData {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    after_return: bool,
    begun: bool,
}

impl EventData {
    /// Takes a piece and gives the data of each event that it completes to `event`.
    pub(crate) fn feed<E>(
        &mut self,
        piece: &[u8],
        mut event: impl FnMut(Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        for part in piece.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            if std::mem::take(&mut self.after_return) && part == b"\n" {
                continue;
            }
            let Some((b'\n' | b'\r', line)) = part.split_last() else {
                self.line.extend_from_slice(part);
                continue;
            };
            self.after_return = part.ends_with(b"\r");
            self.line.extend_from_slice(line);
            if let Some(data) = self.end_line() {
                event(data)?;
            }
        }
        Ok(())
    }

    /// An empty line ends an event; other lines than those of data say nothing here.
    fn end_line(&mut self) -> Option<Vec<u8>> {
        let mut line = self.line.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        let ends = line.is_empty();
        if let Some(more) = line.strip_prefix(b"data:") {
            let more = more.strip_prefix(b" ").unwrap_or(more);
            match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(more);
                }
                none => *none = Some(more.to_vec()),
            }
        }
        self.line.clear();
        if ends { self.data.take() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "\u{feff}data: one\n\n: a comment\ndata:two\r\ndata:  three\r\n\r\n\
                          event: x\ndata: \u{e9}\rid: 7\r\rdata\n\n\ndata: unfinished\n";

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        let (mut events, mut data) = (Vec::new(), EventData::default());
        for piece in pieces {
            let all: Result<(), ()> = data.feed(piece, |event| {
                events.push(String::from_utf8(event).unwrap());
                Ok(())
            });
            all.unwrap();
        }
        events
    }

    #[test]
    fn events_are_the_same_however_they_are_cut() {
        let expected = ["one", "two\n three", "\u{e9}"];
        let bytes = STREAM.as_bytes();
        assert_eq!(read(&[bytes]), expected);
        for at in 0..bytes.len() {
            let (left, right) = bytes.split_at(at);
            assert_eq!(read(&[left, right]), expected, "cut at {at}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(&single), expected);
    }
}
