//! The parts of a launch that do not depend on its arguments.
use super::memo::Memo;
use crate::buffer::Buffer;
use cube_artifact::Artifact;
use cube_artifact::derived::{Derived, Steps};
use std::sync::Mutex;

/// The expressions of a kernel, parsed once when the kernel is loaded, and the last launches. If an expression is invalid, every launch of the
/// kernel returns the error.
#[derive(Debug)]
pub struct LaunchPlan {
    /// The steps of all expressions of the kernel.
    pub(super) steps: Steps,
    /// The step of each derived scalar, in order.
    pub(super) derived: Vec<Result<u32, String>>,
    /// The steps of the cube counts along x, y, z; `None` if a launch runs all requested cubes.
    pub(super) cube_count: Option<[Result<u32, String>; 3]>,
    /// For each buffer that some launches overwrite: the number of the parameter, and the step that is 1 for these
    /// launches.
    pub(super) overwritten: Vec<(usize, u32)>,
    /// For each parameter, whether a step reads its value.
    pub(super) is_read: Vec<bool>,
    pub(super) memo: Mutex<Memo>,
}

impl LaunchPlan {
    /// Parses the expressions of an artifact.
    pub fn new(artifact: &Artifact) -> Self {
        let number = |name: &str| artifact.params.iter().position(|param| param.name == name).map(|n| n as u32);
        let mut steps = Steps::default();
        let mut add = |text: &String| Derived::parse(text).and_then(|parsed| steps.add(&parsed, &number));
        let derived = artifact.derived.iter().map(|derived| add(&derived.expression)).collect();
        let cube_count = artifact.cube_count.as_ref().map(|axes| axes.each_ref().map(&mut add));
        // A buffer with an invalid expression counts as not overwritten.
        let overwritten = artifact.overwritten.iter();
        let overwritten =
            overwritten.filter_map(|buffer| Some((buffer.param as usize, add(&buffer.expression).ok()?))).collect();
        let is_read = (0..artifact.params.len()).map(|param| steps.reads_scalar(param as u32)).collect();
        LaunchPlan { steps, derived, cube_count, overwritten, is_read, memo: Mutex::default() }
    }
}

/// Cleared arrays of an earlier launch, which keep their memory for the next launch.
#[derive(Debug, Default)]
pub struct LaunchArrays {
    pub(super) buffers: Vec<(&'static Buffer, bool)>,
    pub(super) info: Vec<u64>,
    pub(super) scalars: Vec<u64>,
    /// The values of the steps of [`LaunchPlan`].
    pub(super) values: Vec<u64>,
}

/// Converts a vector to an empty vector of another type, so that its memory is reused.
///
/// The standard library reuses the memory if the two element types have the same size and alignment. For other
/// element types, the result has no allocated memory. The tests that count the allocations of a launch depend on
/// this reuse.
pub fn emptied<A, B>(mut vector: Vec<A>) -> Vec<B> {
    vector.clear();
    vector.into_iter().map(|_| unreachable!("the vector is empty")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emptied_vector_keeps_its_memory() {
        let words = vec![1u64; 17];
        let (address, capacity) = (words.as_ptr() as usize, words.capacity());
        let signed: Vec<i64> = emptied(words);
        assert_eq!((signed.as_ptr() as usize, signed.capacity(), signed.len()), (address, capacity, 0));
    }
}
