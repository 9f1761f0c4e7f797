//! Keys of autotune choices.
use crate::host::config::{AutotuneLevel, GlobalConfig};
use crate::host::{ComputeClient, Runtime};
use std::fmt::{Debug, Display, Formatter};
use std::hash::Hash;

/// The properties of inputs on which the fastest candidate depends: sizes, types and layouts. `#[derive(AutotuneKey)]`
/// implements the trait for a struct, and adds a function `new` with a parameter per field. In choice files, the
/// `Debug` text of a key identifies a choice.
pub trait AutotuneKey: Clone + Debug + PartialEq + Eq + Hash + Display + Send + Sync + 'static {}

impl AutotuneKey for String {}

/// Identifies the runtime and the device of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CubeTuneId {
    device: String,
    runtime: &'static str,
}

impl CubeTuneId {
    /// Creates the identifier of a client's device.
    pub fn new<R: Runtime>(client: &ComputeClient<R::Server>, device: &R::Device) -> Self {
        CubeTuneId { device: format!("{device:?}"), runtime: R::name(client) }
    }
}

impl Display for CubeTuneId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "device-{}-{}", self.device, self.runtime)
    }
}

/// The label of a field in the text of a key.
#[doc(hidden)]
pub enum Label<'a> {
    /// The text of the attribute `#[autotune(name = "…")]`.
    Text(&'a str),
    /// The name of the field: `row_count` is shown as `RowCount`.
    Field(&'a str),
    /// A field of a tuple has no label.
    None,
}

/// Writes the text of a key, such as `Key - RowCount: 4, N: 8` or `Key(4, 8)`.
#[doc(hidden)]
pub fn write_key(f: &mut Formatter<'_>, name: &str, fields: &[(Label<'_>, &dyn Debug)]) -> std::fmt::Result {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    };
    f.write_str(name)?;
    let is_tuple = matches!(fields, [(Label::None, _), ..]);
    for (index, (label, value)) in fields.iter().enumerate() {
        f.write_str(match (index, is_tuple) {
            (0, true) => "(",
            (0, false) => " - ",
            _ => ", ",
        })?;
        match label {
            Label::Text(text) => write!(f, "{text}: ")?,
            Label::Field(name) => write!(f, "{}: ", name.split('_').flat_map(capital).collect::<String>())?,
            Label::None => {}
        }
        write!(f, "{value:?}")?;
    }
    if is_tuple { f.write_str(")") } else { Ok(()) }
}

/// Implements [`AutotuneKey`] and the text of a key, and declares the function `new`. A field has its name as a parameter, its
/// name or index in the struct, its type, its value and its label.
#[doc(hidden)]
#[macro_export]
macro_rules! __autotune_key {
    (
        $name:ident [$($generics:tt)*] [$($used:tt)*] [$($where:tt)*] [$($vis:tt)*]
        $($field:ident $member:tt [$($ty:tt)*] [$($value:tt)*] [$($label:tt)*];)*
    ) => {
        impl $($generics)* $name $($used)* $($where)* {
            /// The key. If a field has an anchor, the function rounds the field's number up to the next power
            /// of the anchor's base.
            #[allow(clippy::too_many_arguments)]
            $($vis)* fn new($($field: $($ty)*),*) -> Self {
                Self { $($member: $($value)*),* }
            }
        }
        impl $($generics)* ::core::fmt::Display for $name $($used)* $($where)* {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let fields: &[($crate::tune::Label<'_>, &dyn ::core::fmt::Debug)] =
                    &[$(($crate::tune::Label::$($label)*, &self.$member)),*];
                $crate::tune::write_key(f, ::core::stringify!($name), fields)
            }
        }
        impl $($generics)* $crate::tune::AutotuneKey for $name $($used)* $($where)* {}
    };
}

/// Rounds `x` up to a power of `base` (2 by default), and clamps the power to `min` and `max`. Because of the
/// rounding, similar sizes have the same key. The configured autotune level scales the base. At the level `Full`,
/// the result is `x`.
pub fn anchor(x: usize, max: Option<usize>, min: Option<usize>, base: Option<usize>) -> usize {
    anchor_at(GlobalConfig::get().autotune.level, x, max, min, base)
}

fn anchor_at(level: AutotuneLevel, x: usize, max: Option<usize>, min: Option<usize>, base: Option<usize>) -> usize {
    let factor = match level {
        AutotuneLevel::Minimal => 1.25,
        AutotuneLevel::Balanced => 1.0,
        AutotuneLevel::Extensive => 0.75,
        AutotuneLevel::Full => return x,
    };
    // A base close to 1 would give almost every size a separate key.
    let base = (base.unwrap_or(2) as f64 * factor).max(1.1);
    let power = base.powf((x as f64).log(base).ceil()).ceil() as usize;
    power.min(max.unwrap_or(usize::MAX)).max(min.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_key_has_the_labels_of_its_fields() {
        struct Key<'a>(&'a [(Label<'a>, &'a dyn Debug)]);
        impl Display for Key<'_> {
            fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
                write_key(f, "Key", self.0)
            }
        }
        let named = Key(&[(Label::Field("row_count"), &4), (Label::Field("_x2"), &"a"), (Label::Text("{n}"), &8)]);
        assert_eq!(named.to_string(), "Key - RowCount: 4, X2: \"a\", {n}: 8");
        assert_eq!(Key(&[(Label::None, &4), (Label::None, &8)]).to_string(), "Key(4, 8)");
        assert_eq!(Key(&[]).to_string(), "Key");
    }

    #[test]
    fn similar_numbers_share_an_anchor() {
        let at = |level, x| anchor_at(level, x, Some(4096), Some(16), None);
        let balanced = [0, 1, 17, 32, 33, 100_000].map(|x| at(AutotuneLevel::Balanced, x));
        assert_eq!(balanced, [16, 16, 32, 32, 64, 4096]);
        assert_eq!([17, 40, 100].map(|x| at(AutotuneLevel::Minimal, x)), [40, 98, 245]);
        assert_eq!(at(AutotuneLevel::Extensive, 17), 18);
        assert_eq!(at(AutotuneLevel::Full, 17), 17);
        assert_eq!(anchor_at(AutotuneLevel::Balanced, 65, None, None, Some(4)), 256);
    }
}
