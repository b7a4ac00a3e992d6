//! Checks of files named in requests, before MLIR's server reads them.

use serde_json::Value;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Name of the request by which MLIR's server reads a file that is not open in the editor.
const READS_FILE: &str = "mlir/convertFromBytecode";

/// Checks the file that a request names. Returns an error message if MLIR cannot read the file, and `None` if it
/// can or the request reads no file.
///
/// The file is read in a child process, because the bytecode reader may crash.
pub(crate) fn refusal(message: &Value) -> Option<String> {
    if message["method"] != READS_FILE {
        return None;
    }
    let uri = message["params"]["uri"].as_str()?;
    // MLIR's server rejects other schemes.
    let path = path_of(uri)?;
    let shown = path.display();
    // Devices and pipes may not end.
    match std::fs::metadata(&path) {
        Err(error) => return Some(format!("cannot read `{shown}`: {error}")),
        Ok(file) if !file.is_file() => {
            return Some(format!("cannot read `{shown}`: it is not a regular file"));
        }
        Ok(_) => {}
    }
    let checked = std::env::current_exe().and_then(|server| {
        let mut check = Command::new(server);
        check.arg("--check-input").arg(&path);
        check.stdin(Stdio::null()).output()
    });
    match checked {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(
            String::from_utf8_lossy(&output.stderr)
                .trim_end()
                .to_owned(),
        ),
        Err(error) => Some(format!("cannot check `{shown}`: {error}")),
    }
}

/// Returns the path in a `file:` URI. Percent-encoded bytes are decoded, and need not be UTF-8.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [byte, after @ ..] = rest {
        let digits = after.get(..2).filter(|_| *byte == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let number = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(number.unwrap_or(*byte));
        rest = if number.is_some() { &after[2..] } else { after };
    }
    Some(OsString::from_vec(decoded).into())
}

#[cfg(test)]
mod tests {
    use super::{path_of, refusal};
    use serde_json::json;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_uri_is_a_path() {
        let check = |uri: &str, expected: Option<&[u8]>| {
            let path = path_of(uri);
            assert_eq!(
                path.as_ref().map(|p| p.as_os_str().as_bytes()),
                expected,
                "{uri}"
            );
        };
        check("file:///a/b.mlirbc", Some(b"/a/b.mlirbc"));
        check("file://host/a%20b%ff%zz%", Some(b"/a b\xff%zz%"));
        check("test:///a", None);
        check("file://", None);
    }

    #[test]
    fn endless_and_missing_files_are_refused() {
        for (path, reason) in [
            ("/dev/zero", "not a regular file"),
            ("/", "not a regular"),
            ("/no/file", "No such"),
        ] {
            let message = json!({"method": "mlir/convertFromBytecode", "params": {"uri": format!("file://{path}")}});
            assert!(
                refusal(&message).is_some_and(|text| text.contains(reason)),
                "{path}"
            );
        }
        assert_eq!(refusal(&json!({"method": "initialize"})), None);
    }
}
