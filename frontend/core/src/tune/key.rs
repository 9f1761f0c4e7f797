//! Keys of autotune choices.
use crate::host::config::{AutotuneLevel, GlobalConfig};
use crate::host::{ComputeClient, Runtime};
use std::fmt::{Debug, Display};
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
