//! Assembles the text of a kernel from its parameters, their names and its body.
use super::Builder;

impl Builder {
    /// Sets the alignment of a parameter in bytes. For memory that is not a parameter, the call has no effect.
    pub fn align(&mut self, id: u32, bytes: u32) {
        let start = format!("%{id}: ");
        let found = self.arguments.iter_mut().find(|a| a.starts_with(&start) && !a.contains("cube.align"));
        if let Some(argument) = found
            && let Some(end) = argument.rfind('}')
        {
            argument.insert_str(end, &format!(", cube.align = {bytes} : i32"));
        }
    }

    /// The text of the complete kernel; `mode` is the text between its `cube_dim` and its body.
    pub fn finish(self, name: &str, cube_dim: [u32; 3], mode: &str, location: (&str, u32)) -> String {
        let arguments = self.arguments.join(", ");
        let [x, y, z] = cube_dim;
        let body = self.frames.first().map_or("", |f| &f.text);
        let ended = self.frames.first().is_some_and(|f| f.dead);
        let last = if ended { "" } else { "  cube.return\n" };
        let text = format!(
            "cube.kernel @{}({arguments}) cube_dim({x}, {y}, {z}){mode} {{\n{}{body}{last}}} loc({:?}:{}:1)\n",
            symbol(name),
            self.constants,
            location.0,
            location.1
        );
        self.with_names(&text)
    }

    /// Replaces the SSA numbers of parameters by the parameters' names in the program.
    fn with_names(&self, text: &str) -> String {
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['%', '"']) {
            named.push_str(&rest[..=at]);
            let quoted = rest.as_bytes()[at] == b'"';
            rest = &rest[at + 1..];
            if quoted {
                // Strings, such as printed text and file names, do not contain SSA names.
                let end = end_of_string(rest);
                named.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            match rest[..digits].parse().ok().and_then(|id: u32| self.named.get(&id)) {
                Some(name) => named.push_str(&symbol(name)),
                None => named.push_str(&rest[..digits]),
            }
            rest = &rest[digits..];
        }
        named.push_str(rest);
        named
    }
}

/// Converts a name of the program to an MLIR identifier. Replaces every character except ASCII letters,
/// digits and `_` by its code point.
fn symbol(name: &str) -> String {
    name.chars().fold(String::with_capacity(name.len()), |mut out, c| {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => out.push(c),
            other => out.push_str(&format!("_u{:x}_", u32::from(other))),
        }
        out
    })
}

/// The number of bytes up to and including the closing quote of a string literal. The literal's opening quote
/// precedes `text`.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_distinct_symbols() {
        assert_eq!(symbol("row_2"), "row_2");
        assert_eq!(symbol("größe"), "gr_uf6__udf_e");
        assert_ne!(symbol("α"), symbol("β"));
    }

    #[test]
    fn strings_end_at_the_closing_quote() {
        assert_eq!(end_of_string("ab\" x"), 3);
        assert_eq!(end_of_string("a\\\"b\" x"), 5);
        assert_eq!(end_of_string("a\\\\\" x"), 4);
        assert_eq!(end_of_string("ab"), 2);
    }
}
