//! Protocol messages, which consist of a header with the length and a JSON body.

use std::io::{self, BufRead, Write};

/// Largest length of a message in bytes.
const MAX_BYTES: usize = 1 << 30;

/// Reads the body of a message, or returns `None` at the end of the input.
///
/// # Errors
/// Returns an error if the header is invalid, or if the input ends within the message.
pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let bad = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut length = None;
    let mut line = String::new();
    loop {
        line.clear();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let header = line.trim_end();
        if header.is_empty() {
            // Blank lines between messages are ignored.
            if length.is_some() {
                break;
            }
            continue;
        }
        match header.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                let bytes: usize = value
                    .trim()
                    .parse()
                    .map_err(|_| bad(format!("expected a length in bytes, got `{header}`")))?;
                length = Some(bytes);
            }
            // Other headers, as `Content-Type`, are ignored.
            Some(_) => {}
            None => {
                return Err(bad(format!(
                    "expected a header `Name: value`, got `{header}`"
                )));
            }
        }
    }
    let length = length.unwrap_or(0);
    if length > MAX_BYTES {
        return Err(bad(format!(
            "a message of {length} bytes exceeds the limit of {MAX_BYTES} bytes"
        )));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(Some(body))
}

/// Writes one message.
///
/// # Errors
/// Returns an error if the output is closed.
pub(crate) fn write(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(to, "Content-Length: {}\r\n\r\n", body.len())?;
    to.write_all(body)?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::{read, write};

    #[test]
    fn messages_follow_each_other() {
        let mut text = Vec::new();
        write(&mut text, b"{}").expect("a vector takes it");
        text.extend(b"Content-Type: x\r\ncontent-length: 3\r\n\r\n[1]");
        let mut from = text.as_slice();
        assert_eq!(read(&mut from).expect("a message"), Some(b"{}".to_vec()));
        assert_eq!(read(&mut from).expect("a message"), Some(b"[1]".to_vec()));
        assert_eq!(read(&mut from).expect("the end"), None);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        for text in [
            "hello\r\n\r\n",
            "Content-Length: x\r\n\r\n",
            "Content-Length: 5\r\n\r\n{}",
            "Content-Length: 99999999999999\r\n\r\n",
        ] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text}");
        }
    }
}
