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
        let mut rest = text;
        while !rest.is_empty() {
            // Strings, such as printed text and file names, do not contain SSA names.
            let (code, string) = rest.split_at(rest.find('"').unwrap_or(rest.len()));
            push_with_symbols(&mut named, code, &symbols);
            let (string, after) = string.split_at(string.get(1..).map_or(0, |inner| 1 + end_of_string(inner)));
            named.push_str(string);
            rest = after;
        }
        named
    }
}

/// Appends code without strings. The symbol of a number, if any, replaces the number of an SSA value.
fn push_with_symbols(out: &mut String, code: &str, symbols: &[Option<String>]) {
    let mut rest = code;
    while let Some(at) = rest.find('%') {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        let mut digits = 0;
        while after.as_bytes().get(digits).is_some_and(u8::is_ascii_digit) {
            digits += 1;
        }
        let (number, after) = after.split_at(digits);
        let symbol = number.parse().ok().and_then(|id: usize| symbols.get(id)?.as_deref());
        out.push_str(symbol.unwrap_or(number));
        rest = after;
    }
    out.push_str(rest);
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
    let mut from = 0;
    while let Some(at) = text[from..].find('"') {
        let end = from + at;
        // An odd number of backslashes escapes the quote.
        let backslashes = text[..end].bytes().rev().take_while(|byte| *byte == b'\\').count();
        if backslashes % 2 == 0 {
            return end + 1;
        }
        from = end + 1;
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
        assert_eq!(end_of_string("ab\" x"), 3);
        assert_eq!(end_of_string("a\\\"b\" x"), 5);
        assert_eq!(end_of_string("a\\\\\" x"), 4);
        assert_eq!(end_of_string("a\\\"\\\\\\\"\" x"), 8);
        assert_eq!((end_of_string("ab"), end_of_string("a\\\"b"), end_of_string("\"")), (2, 4, 1));
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
