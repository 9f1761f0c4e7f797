//! The parts of a launch that do not depend on its arguments.
use crate::buffer::Buffer;
use cube_artifact::derived::{Derived, Steps};
use cube_artifact::{Artifact, Param, ParamKind};
use std::mem::ManuallyDrop;

/// The expressions of a kernel, parsed once when the kernel is loaded. If an expression is invalid, every launch of the
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
    /// For each buffer parameter, in order, whether the kernel writes the buffer.
    pub(crate) writes: Vec<bool>,
    /// For each parameter, whether a step reads its value.
    pub(super) is_read: Vec<bool>,
    /// The number of the kernel, by which threads remember its launches. `None` for a plan of one launch.
    pub(super) kernel: Option<u64>,
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
        let is_buffer = |param: &&Param| matches!(param.kind, ParamKind::Buffer { .. });
        let writes = artifact.params.iter().filter(is_buffer).map(super::alias::is_written).collect();
        LaunchPlan { steps, derived, cube_count, overwritten, writes, is_read, kernel: None }
    }

    /// The plan of the kernel with the number `kernel`, which no other kernel of the process has. Threads remember the launches
    /// of this kernel.
    pub fn of_kernel(self, kernel: u64) -> Self {
        LaunchPlan { kernel: Some(kernel), ..self }
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

/// Converts a vector to an empty vector of another type, which keeps the memory. The elements are dropped.
///
/// Both types must have the same size and alignment, which the compiler checks. The standard library reuses memory in this way
/// only through an iterator, which takes a hundred instructions.
#[allow(unsafe_code)]
#[inline]
pub fn emptied<A, B>(vector: Vec<A>) -> Vec<B> {
    const { assert!(size_of::<A>() == size_of::<B>() && align_of::<A>() == align_of::<B>()) };
    let mut vector = ManuallyDrop::new(vector);
    vector.clear();
    // SAFETY: the memory is from the allocator of all vectors and has no other owner. Its layout for `capacity` elements is the same
    // for both types. No element is used, because the length is 0.
    unsafe { Vec::from_raw_parts(vector.as_mut_ptr().cast(), 0, vector.capacity()) }
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
        let dropped = std::rc::Rc::new(());
        let words: Vec<u64> = emptied(vec![dropped.clone(); 3]);
        assert_eq!((std::rc::Rc::strong_count(&dropped), words.len()), (1, 0));
    }
}
