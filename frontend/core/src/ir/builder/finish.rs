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
            "cube.kernel @{name}({arguments}) cube_dim({x}, {y}, {z}){mode} {{\n{}{body}{last}}} loc({:?}:{}:1)\n",
            self.constants, place.0, place.1
        );
        self.with_names(&text)
    }

    /// Arguments by the names that the program gives them.
    fn with_names(&self, text: &str) -> String {
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            named.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            match rest[..digits].parse().ok().and_then(|id: u32| self.named.get(&id)) {
                Some(name) => named.push_str(name),
                None => named.push_str(&rest[..digits]),
            }
            rest = &rest[digits..];
        }
        named.push_str(rest);
        named
    }
}
