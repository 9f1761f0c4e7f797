//! Loads from memory, which a kernel can repeat after a barrier.
use super::{Builder, Raw, Ty};

impl Builder {
    /// Appends a load from memory, like [`Builder::value`].
    pub fn element(&mut self, ty: Ty, text: String) -> Raw {
        let value = self.value(ty, &text);
        if let Raw::Ssa(id, _) = value {
            self.last_load = Some((id, text));
        }
        value
    }

    /// Appends the load of `value` again; `None` if `value` is not the result of the last load.
    pub fn load_again(&mut self, value: Raw) -> Option<Raw> {
        let Raw::Ssa(id, ty) = value else { return None };
        let (_, text) = self.last_load.clone().filter(|(last, _)| *last == id)?;
        Some(self.value(ty, &text))
    }
}
