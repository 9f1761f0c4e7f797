//! The values of the host that a kernel is compiled for. A hash finds the kernels that a launch can mean, and `Eq` decides.
use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A value that a kernel keeps.
pub type Kept = Arc<dyn Any + Send + Sync>;

/// A value of an argument, which tells kernels apart.
pub type SharedValue = Arc<dyn KnownValue + Send + Sync>;

/// A value of the host that a kernel is compiled for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a value that a kernel is compiled for",
    label = "not known by its value",
    note = "kernels are compiled once for each value: derive `Clone`, `PartialEq`, `Eq`, `Hash` and `Debug` for it; a float goes by its bits, as `u32`"
)]
pub trait KnownValue: Debug {
    /// Whether a kept value is equal to this one.
    fn equals(&self, kept: &(dyn Any + Send + Sync)) -> bool;
    /// A copy that lives as long as its kernel.
    fn keep(&self) -> Kept;
    /// Its part of the hash by which kernels are found.
    fn hash_into(&self, key: &mut blake3::Hasher);
}

#[diagnostic::do_not_recommend]
impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> KnownValue for T {
    fn equals(&self, kept: &(dyn Any + Send + Sync)) -> bool {
        kept.downcast_ref::<T>() == Some(self)
    }
    fn keep(&self) -> Kept {
        Arc::new(self.clone())
    }
    fn hash_into(&self, key: &mut blake3::Hasher) {
        feed(self, key);
    }
}

/// A value behind a reference whose size is not known, `str` or a slice: a kernel keeps the owned form.
pub struct Behind<'a, T: ?Sized>(pub &'a T);

impl<T: Debug + ?Sized> Debug for Behind<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> KnownValue for Behind<'_, T>
where
    T: ToOwned + Eq + Hash + Debug + ?Sized,
    T::Owned: Send + Sync + 'static,
{
    fn equals(&self, kept: &(dyn Any + Send + Sync)) -> bool {
        kept.downcast_ref::<T::Owned>().is_some_and(|kept| std::borrow::Borrow::borrow(kept) == self.0)
    }
    fn keep(&self) -> Kept {
        Arc::new(self.0.to_owned())
    }
    fn hash_into(&self, key: &mut blake3::Hasher) {
        feed(self.0, key);
    }
}

/// Feeds `Hash` into a key.
struct IntoKey<'a>(&'a mut blake3::Hasher);

impl Hasher for IntoKey<'_> {
    fn finish(&self) -> u64 {
        0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}

/// Feeds a value into a key, with a mark behind it.
pub(super) fn feed<T: Hash + ?Sized>(value: &T, key: &mut blake3::Hasher) {
    value.hash(&mut IntoKey(key));
    key.update(&[0xff]);
}

/// A value of the host under its name.
pub type Named<'a> = (&'static str, &'a dyn KnownValue);

/// Whether the values of a launch are those that a kernel has kept.
pub fn are(values: &[Named<'_>], kept: &[Kept]) -> bool {
    values.len() == kept.len() && values.iter().zip(kept).all(|((_, value), kept)| value.equals(&**kept))
}

/// A kernel with the types and values that it is compiled for, on one line: `step<F = f32>(tile = 16)`.
pub(super) fn instance(kernel: &str, types: &[(&str, &str)], values: &[Named<'_>]) -> String {
    let types = types.iter().map(|(name, ty)| format!("{name} = {}", short(ty)));
    let values = values.iter().map(|(name, value)| format!("{name} = {}", shown(*value)));
    let listed = |open: char, list: Vec<String>, close: char| match list.is_empty() {
        true => String::new(),
        false => format!("{open}{}{close}", list.join(", ")),
    };
    format!("{kernel}{}{}", listed('<', types.collect(), '>'), listed('(', values.collect(), ')'))
}

/// Characters of a value that a report shows.
const MOST: usize = 80;

/// A value on one line.
fn shown(value: &dyn KnownValue) -> String {
    let text = format!("{value:?}");
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST).collect();
    if text.chars().nth(MOST).is_some() { format!("{line}…") } else { line }
}

/// The name of a type without the modules that it stands in.
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
    fn equal_values_are_found_and_others_are_not_whatever_their_hash() {
        #[derive(Clone, Debug, PartialEq, Eq)]
        struct Half(u32, u32);
        impl Hash for Half {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.hash(state);
            }
        }
        let kept = [Half(1, 2).keep(), Behind("ab").keep(), Behind(&[1u32, 2][..]).keep()];
        let equal = |half: Half, text: &str, list: &[u32]| {
            are(&[("a", &half), ("b", &Behind(text)), ("c", &Behind(list))], &kept)
        };
        assert!(equal(Half(1, 2), "ab", &[1, 2]));
        assert!(
            !equal(Half(1, 3), "ab", &[1, 2]) && !equal(Half(1, 2), "a", &[1, 2]) && !equal(Half(1, 2), "ab", &[1])
        );
        assert!(!are(&[("a", &Half(1, 2))], &kept), "a value is missing");
        assert!(!are(&[("a", &1u32)], &[1u64.keep()]), "another type");
    }

    #[test]
    fn an_instance_is_one_line_without_modules() {
        let values: [Named<'_>; 2] = [("tile", &16u32), ("name", &Behind("a\nb"))];
        let types = [("F", "half::binary16::f16"), ("L", "alloc::vec::Vec<(my::own::Layout, u32)>")];
        let text = instance("step", &types, &values);
        assert_eq!(text, "step<F = f16, L = Vec<(Layout, u32)>>(tile = 16, name = \"a\\nb\")");
        assert_eq!(instance("step", &[], &[]), "step");
        assert_eq!(instance("k", &[], &[("v", &vec![0u8; 99])]).chars().count(), "k(v = )".len() + MOST + 1);
    }
}
