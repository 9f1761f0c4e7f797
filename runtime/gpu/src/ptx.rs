//! The parameters that PTX text declares for a kernel.
use cube_runtime::RuntimeError;

/// The sizes in bytes of the parameters of the entry function `entry`, in order.
///
/// # Errors
/// The text has no such entry function, or a parameter that this function cannot read.
pub(crate) fn parameters(text: &str, entry: &str) -> Result<Vec<u64>, RuntimeError> {
    let text = without_comments(text);
    let mut names = Vec::new();
    for part in text.split(".entry").skip(1) {
        let part = part.trim_start();
        let end = part.find(|c: char| !(c.is_alphanumeric() || "_$%".contains(c))).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        if name != entry {
            names.push(format!("`{name}`"));
            continue;
        }
        let Some(list) = rest.trim_start().strip_prefix('(') else { return Ok(Vec::new()) };
        let list = list.split(')').next().unwrap_or_default().trim();
        return if list.is_empty() { Ok(Vec::new()) } else { list.split(',').map(size).collect() };
    }
    Err(RuntimeError::user(match names.is_empty() {
        true => "its PTX has no entry function; pass PTX with a `.entry`".into(),
        false => format!("its PTX has the entry functions {}; name one of these functions", names.join(", ")),
    }))
}

/// The text without `//` and `/* */` comments.
fn without_comments(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find('/') {
        kept.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = match rest.as_bytes().get(1) {
            Some(b'/') => rest.find('\n'),
            Some(b'*') => rest.find("*/").map(|at| at + 2),
            _ => {
                kept.push('/');
                Some(1)
            }
        };
        kept.push(' ');
        rest = end.map_or("", |end| &rest[end..]);
    }
    kept.push_str(rest);
    kept
}

/// The size of a parameter such as `.param .u64 x`, `.param .u64 .ptr .global .align 4 x` or
/// `.param .align 8 .b8 x[16]`.
fn size(parameter: &str) -> Result<u64, RuntimeError> {
    let refused = || {
        let parameter = parameter.split_whitespace().collect::<Vec<_>>().join(" ");
        RuntimeError::user(format!(
            "its PTX declares the unreadable parameter `{parameter}`; use a scalar or an address"
        ))
    };
    let bits = parameter.split_whitespace().find_map(|word| {
        let digits = word.strip_prefix(['.'])?.strip_prefix(['u', 's', 'b', 'f'])?;
        digits.parse::<u64>().ok().filter(|bits| [8, 16, 32, 64, 128].contains(bits))
    });
    let bytes = bits.ok_or_else(refused)? / 8;
    match parameter.split_once('[') {
        None => Ok(bytes),
        Some((_, count)) => {
            let count = count.split(']').next().and_then(|count| count.trim().parse::<u64>().ok());
            count.and_then(|count| count.checked_mul(bytes)).ok_or_else(refused)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
.version 8.0 // .entry commented(
.target sm_80
/* .visible .entry also_commented( */
.visible .entry empty()
{ ret; }
.visible .entry saxpy(
    .param .u64 .ptr .global .align 4 saxpy_param_0,
    .param .f32 saxpy_param_1, // a
    .param .align 8 .b8 saxpy_param_2[24],
    .param .s16 saxpy_param_3
)
.maxntid 256, 1, 1
{ ret; }
.entry none { ret; }";

    #[test]
    fn sizes_are_those_of_the_text() {
        assert_eq!(parameters(TEXT, "saxpy").unwrap(), [8, 4, 24, 2]);
        assert_eq!(parameters(TEXT, "empty").unwrap(), [0; 0]);
        assert_eq!(parameters(TEXT, "none").unwrap(), [0; 0]);
    }

    #[test]
    fn text_that_does_not_fit_is_an_error() {
        let error = |text: &str, entry: &str| parameters(text, entry).unwrap_err().to_string();
        let wrong = error(TEXT, "sax");
        assert!(wrong.contains("entry functions `empty`, `saxpy`, `none`"), "{wrong}");
        assert!(error("/* .entry k( ", "k").contains("no entry function"));
        assert!(error(".entry k(.param .pred p)", "k").contains("`.param .pred p`"));
        assert!(error(".entry k(.param .b64 p[18446744073709551615])", "k").contains("unreadable"));
    }
}
