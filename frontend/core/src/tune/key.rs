//! What choices are remembered by.
use crate::host::config::{AutotuneLevel, GlobalConfig};
use crate::host::{ComputeClient, Runtime};
use std::fmt::{Debug, Display};
use std::hash::Hash;

/// What the best candidate depends on: sizes, types, layouts of the inputs. `#[derive(AutotuneKey)]` makes it of a struct, with a
/// function `new` of its fields. Choices on disk are found by its `Debug` form.
pub trait AutotuneKey: Clone + Debug + PartialEq + Eq + Hash + Display + Send + Sync + 'static {}

impl AutotuneKey for String {}

/// The runtime and the device that a choice is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CubeTuneId {
    device: String,
    runtime: &'static str,
}

impl CubeTuneId {
    /// That of a client and its device.
    pub fn new<R: Runtime>(client: &ComputeClient<R::Server>, device: &R::Device) -> Self {
        CubeTuneId { device: format!("{device:?}"), runtime: R::name(client) }
    }
}

impl Display for CubeTuneId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "device-{}-{}", self.device, self.runtime)
    }
}

/// The next power of `base` (2 where not given) that is no smaller, in the bounds: numbers that are alike fall under one key. The level
/// of autotuning makes the steps larger, smaller, or leaves the number as it is.
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
    // Smaller steps than these would tell everything apart.
    let base = (base.unwrap_or(2) as f64 * factor).max(1.1);
    let power = base.powf((x as f64).log(base).ceil()).ceil() as usize;
    power.min(max.unwrap_or(usize::MAX)).max(min.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_alike_have_one_anchor() {
        let at = |level, x| anchor_at(level, x, Some(4096), Some(16), None);
        let balanced = [0, 1, 17, 32, 33, 100_000].map(|x| at(AutotuneLevel::Balanced, x));
        assert_eq!(balanced, [16, 16, 32, 32, 64, 4096]);
        assert_eq!([17, 40, 100].map(|x| at(AutotuneLevel::Minimal, x)), [40, 98, 245]);
        assert_eq!(at(AutotuneLevel::Extensive, 17), 18);
        assert_eq!(at(AutotuneLevel::Full, 17), 17);
        assert_eq!(anchor_at(AutotuneLevel::Balanced, 65, None, None, Some(4)), 256);
    }
}
