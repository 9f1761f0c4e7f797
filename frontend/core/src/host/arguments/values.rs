//! Host values that select a kernel. A hash finds candidate kernels, and `Eq` compares the values.
use super::key::LaunchKey;
use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A host value that is stored with a kernel.
pub type StoredValue = Arc<dyn Any + Send + Sync>;

/// A shared host value that is part of a kernel's key.
pub type SharedValue = Arc<dyn KnownValue + Send + Sync>;

/// A host value that is part of a kernel's key.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a comptime value of a kernel",
    label = "cannot be compared and hashed",
    note = "each value compiles a separate kernel; derive `Clone`, `PartialEq`, `Eq`, `Hash` and `Debug`; pass a float as its bits, a `u32`"
)]
pub trait KnownValue: Debug {
    /// Whether the stored value `kept` equals this value.
    fn equals(&self, kept: &(dyn Any + Send + Sync)) -> bool;
    /// Copies the value, to be stored with the kernel.
    fn keep(&self) -> StoredValue;
    /// Adds the value to the key whose hash finds candidate kernels.
    fn hash_into(&self, key: &mut LaunchKey);
}

#[diagnostic::do_not_recommend]
impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> KnownValue for T {
    fn equals(&self, kept: &(dyn Any + Send + Sync)) -> bool {
        kept.downcast_ref::<T>() == Some(self)
    }
    fn keep(&self) -> StoredValue {
        Arc::new(self.clone())
    }
    fn hash_into(&self, key: &mut LaunchKey) {
        feed(self, key);
    }
}

/// A reference to an unsized value: `str` or a slice. A kernel stores the owned form of the value: `String`
/// or `Vec`.
pub struct Unsized<'a, T: ?Sized>(pub &'a T);

impl<T: Debug + ?Sized> Debug for Unsized<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> KnownValue for Unsized<'_, T>
where
    T: ToOwned + Eq + Hash + Debug + ?Sized,
    T::Owned: Send + Sync + 'static,
{
    fn equals(&self, kept: &(dyn Any + Send + Sync)) -> bool {
        kept.downcast_ref::<T::Owned>().is_some_and(|kept| std::borrow::Borrow::borrow(kept) == self.0)
    }
    fn keep(&self) -> StoredValue {
        Arc::new(self.0.to_owned())
    }
    fn hash_into(&self, key: &mut LaunchKey) {
        feed(self.0, key);
    }
}

/// A `Hasher` that writes to a key.
struct IntoKey<'a>(&'a mut LaunchKey);

impl Hasher for IntoKey<'_> {
    fn finish(&self) -> u64 {
        0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}

/// Adds a value to a key, followed by a separator.
pub(super) fn feed<T: Hash + ?Sized>(value: &T, key: &mut LaunchKey) {
    value.hash(&mut IntoKey(key));
    key.update(&[0xff]);
}

/// The name of a host value, and the value.
pub type Named<'a> = (&'static str, &'a dyn KnownValue);

/// Whether the host values of a launch equal the host values that are stored with a kernel.
pub fn values_match(values: &[Named<'_>], kept: &[StoredValue]) -> bool {
    values.len() == kept.len() && values.iter().zip(kept).all(|((_, value), kept)| value.equals(&**kept))
}

/// The name of a kernel with its types and values on one line: `step<F = f32>(tile = 16)`.
pub(super) fn instance(kernel: &str, types: &[(&str, &str)], values: &[Named<'_>]) -> String {
    let types = types.iter().map(|(name, ty)| format!("{name} = {}", short(ty)));
    let values = values.iter().map(|(name, value)| format!("{name} = {}", shown(*value)));
    let listed = |open: char, list: Vec<String>, close: char| match list.is_empty() {
        true => String::new(),
        false => format!("{open}{}{close}", list.join(", ")),
    };
    format!("{kernel}{}{}", listed('<', types.collect(), '>'), listed('(', values.collect(), ')'))
}

/// Maximum number of characters of a value in a report.
const MAX_SHOWN: usize = 80;

/// The `Debug` text of a value on one line, cut to `MAX_SHOWN` characters.
fn shown(value: &dyn KnownValue) -> String {
    let text = format!("{value:?}");
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_SHOWN).collect();
    if text.chars().nth(MAX_SHOWN).is_some() { format!("{line}…") } else { line }
}

/// The name of a type, without module paths.
fn short(ty: &str) -> String {
    let mut out = String::new();
    for part in ty.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        out.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_match_by_equality_and_not_by_hash() {
        #[derive(Clone, Debug, PartialEq, Eq)]
        struct Half(u32, u32);
        impl Hash for Half {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.hash(state);
            }
        }
        let kept = [Half(1, 2).keep(), Unsized("ab").keep(), Unsized(&[1u32, 2][..]).keep()];
        let equal = |half: Half, text: &str, list: &[u32]| {
            values_match(&[("a", &half), ("b", &Unsized(text)), ("c", &Unsized(list))], &kept)
        };
        assert!(equal(Half(1, 2), "ab", &[1, 2]));
        assert!(
            !equal(Half(1, 3), "ab", &[1, 2]) && !equal(Half(1, 2), "a", &[1, 2]) && !equal(Half(1, 2), "ab", &[1])
        );
        assert!(!values_match(&[("a", &Half(1, 2))], &kept), "a value is missing");
        assert!(!values_match(&[("a", &1u32)], &[1u64.keep()]), "another type");
    }

    #[test]
    fn instance_text_is_one_line_without_module_paths() {
        let values: [Named<'_>; 2] = [("tile", &16u32), ("name", &Unsized("a\nb"))];
        let types = [("F", "half::binary16::f16"), ("L", "alloc::vec::Vec<(my::own::Layout, u32)>")];
        let text = instance("step", &types, &values);
        assert_eq!(text, "step<F = f16, L = Vec<(Layout, u32)>>(tile = 16, name = \"a\\nb\")");
        assert_eq!(instance("step", &[], &[]), "step");
        assert_eq!(instance("k", &[], &[("v", &vec![0u8; 99])]).chars().count(), "k(v = )".len() + MAX_SHOWN + 1);
    }
}
