//! The head of a kernel: its arguments, their names, and the whole text.
use super::Builder;

impl Builder {
    /// Says that an argument begins at a multiple of that many bytes; other memory has its own alignment.
    pub fn align(&mut self, id: u32, bytes: u32) {
        let start = format!("%{id}: ");
        let found = self.arguments.iter_mut().find(|a| a.starts_with(&start) && !a.contains("cube.align"));
        if let Some(argument) = found
            && let Some(end) = argument.rfind('}')
        {
            argument.insert_str(end, &format!(", cube.align = {bytes} : i32"));
        }
    }

    /// The whole kernel.
    pub fn finish(self, name: &str, cube_dim: [u32; 3], checked: bool, place: (&str, u32)) -> String {
        let arguments = self.arguments.join(", ");
        let [x, y, z] = cube_dim;
        let mode = if checked { "" } else { " unchecked" };
        let body = self.frames.first().map_or("", |f| &f.text);
        let ended = self.frames.first().is_some_and(|f| f.dead);
        let last = if ended { "" } else { "  cube.return\n" };
        let text = format!(
            "cube.kernel @{}({arguments}) cube_dim({x}, {y}, {z}){mode} {{\n{}{body}{last}}} loc({:?}:{}:1)\n",
            symbol(name),
            self.constants,
            place.0,
            place.1
        );
        self.with_names(&text)
    }

    /// Arguments by the names that the program gives them.
    fn with_names(&self, text: &str) -> String {
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['%', '"']) {
            named.push_str(&rest[..=at]);
            let quoted = rest.as_bytes()[at] == b'"';
            rest = &rest[at + 1..];
            if quoted {
                // What a kernel prints, and names of files, are nobody's names.
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

/// A name of the program as a symbol of the IR: letters of other alphabets are written by their numbers.
fn symbol(name: &str) -> String {
    name.chars().fold(String::with_capacity(name.len()), |mut out, c| {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => out.push(c),
            other => out.push_str(&format!("_u{:x}_", u32::from(other))),
        }
        out
    })
}

/// Where the string ends that begins before `text`, behind its quote.
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
    fn names_are_symbols_and_stay_apart() {
        assert_eq!(symbol("row_2"), "row_2");
        assert_eq!(symbol("größe"), "gr_uf6__udf_e");
        assert_ne!(symbol("α"), symbol("β"));
    }

    #[test]
    fn strings_end_at_their_own_quote() {
        assert_eq!(end_of_string("ab\" x"), 3);
        assert_eq!(end_of_string("a\\\"b\" x"), 5);
        assert_eq!(end_of_string("a\\\\\" x"), 4);
        assert_eq!(end_of_string("ab"), 2);
    }
}
