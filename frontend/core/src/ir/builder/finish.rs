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
        let mut symbols = vec![None; self.named.keys().max().map_or(0, |most| *most as usize + 1)];
        for (id, name) in &self.named {
            symbols[*id as usize] = Some(symbol(name));
        }
        let mut named = String::with_capacity(text.len() + text.len() / 8);
        let bytes = text.as_bytes();
        // The loop compares single bytes, because without optimisation each call of a search costs more than a short search.
        let (mut at, mut copied) = (0, 0);
        while at < bytes.len() {
            let byte = bytes[at];
            at += 1;
            if byte == b'"' {
                // Strings, such as printed text and file names, do not contain SSA names.
                at = end_of_string(bytes, at);
            } else if byte == b'%' {
                let start = at;
                while at < bytes.len() && bytes[at].is_ascii_digit() {
                    at += 1;
                }
                if let Some(Some(symbol)) = text[start..at].parse().ok().and_then(|id: usize| symbols.get(id)) {
                    named.push_str(&text[copied..start]);
                    named.push_str(symbol);
                    copied = at;
                }
            }
        }
        named.push_str(&text[copied..]);
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

/// The position after the closing quote of a string literal, whose first character is at `at`; the end of the text if the
/// quote is missing.
fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while at < text.len() {
        match text[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
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
        let end = |text: &str| end_of_string(text.as_bytes(), 0);
        assert_eq!([end("ab\" x"), end("a\\\"b\" x"), end("a\\\\\" x"), end("a\\\"\\\\\\\"\" x")], [3, 5, 4, 8]);
        assert_eq!([end("ab"), end("a\\\"b"), end("\""), end("a\\")], [2, 4, 1, 2]);
    }

    #[test]
    fn numbers_of_parameters_become_names_outside_of_strings() {
        let named = [(0, "x".to_string()), (2, "größe".to_string())].into();
        let builder = Builder { named, ..Builder::new() };
        let text = "%0 = f %1, %20, %2 loc(\"%0 \\\" %2\":1:2)\n%2%0 \"a\"\"%2\" % %0";
        let expected = "%x = f %1, %20, %gr_uf6__udf_e loc(\"%0 \\\" %2\":1:2)\n%gr_uf6__udf_e%x \"a\"\"%2\" % %x";
        assert_eq!(builder.with_names(text), expected);
        assert_eq!((builder.with_names(""), builder.with_names("%0 \"%0")), (String::new(), "%x \"%0".into()));
        assert_eq!(Builder::new().with_names("%0 %99999999999999999999"), "%0 %99999999999999999999");
    }
}
