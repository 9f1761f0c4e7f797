//! Conversion of the arguments of the program to the arguments of a launch on a device.
use super::error::LaunchError;
use super::key::LaunchKey;
use crate::host::Handle;
use cube_artifact::ElemType;
use cube_runtime::{Arg, Dims, RuntimeError, Scalar};
use std::cell::Cell;

/// An argument of the program.
pub(super) enum Input<'x> {
    /// A number.
    Scalar(Scalar),
    /// An array or a tensor.
    Buffer(BufferInput<'x>),
}

/// An array or a tensor of the program.
#[derive(Clone, Copy)]
pub(super) struct BufferInput<'x> {
    pub name: &'static str,
    pub handle: &'x Handle,
    /// The type of the elements in the kernel.
    pub elem: ElemType,
    /// The size in bytes of the program's elements.
    pub elem_size: usize,
    /// Number of elements.
    pub length: usize,
    /// Elements of a line.
    pub line: u32,
    /// Shape and strides of a tensor.
    pub shape: Option<(&'x [usize], &'x [usize])>,
    /// Whether the argument is an alias of an earlier one.
    pub is_alias: bool,
}

impl<'x> Input<'x> {
    /// The argument as a buffer.
    pub fn buffer(&self) -> Option<&BufferInput<'x>> {
        if let Input::Buffer(buffer) = self { Some(buffer) } else { None }
    }
}

/// The arguments of a launch on a device.
pub(super) struct Prepared {
    pub args: Vec<Arg>,
    /// An empty key of a kernel.
    pub key: LaunchKey,
    /// Whether the memory of each buffer is large enough for all elements of the declared shape.
    pub hold_their_elements: bool,
    pub rejected: Option<RuntimeError>,
    /// The error of the first handle whose offsets exceed its buffer.
    pub outside: Option<LaunchError>,
    /// The buffer arguments that end within a line, with the error for a kernel that accesses them.
    pub partial: Vec<(usize, RuntimeError)>,
}

// A nested launch uses new memory, for example a launch in a comparison of the program.
thread_local!(static REUSED: Cell<Option<(Vec<Arg>, LaunchKey)>> = const { Cell::new(None) });

/// The number of bytes, rounded down to whole lines of `line` bytes. The remaining bytes are not part of the array.
fn whole_lines(bytes: u64, line: u64) -> u64 {
    if line.is_power_of_two() { bytes & !(line - 1) } else { bytes / line * line }
}

impl Prepared {
    /// Converts arguments. `wrong_alias` is an alias of a missing buffer.
    pub fn of(inputs: &[Input<'_>], wrong_alias: Option<(usize, usize)>) -> Prepared {
        let (args, key) = REUSED.take().unwrap_or_default();
        let (rejected, outside, partial) = (None, None, Vec::new());
        let mut prepared = Prepared { args, key, hold_their_elements: true, rejected, outside, partial };
        for i in 0..=inputs.len() {
            if let Some((_, position)) = wrong_alias.filter(|(before, _)| *before == i) {
                prepared.rejected.get_or_insert_with(|| {
                    RuntimeError::user(format!(
                        "an alias refers to buffer {position}, which is not an earlier argument; use the position of an earlier buffer"
                    ))
                });
            }
            match inputs.get(i) {
                None => {}
                Some(Input::Scalar(scalar)) => prepared.args.push(Arg::Scalar(*scalar)),
                Some(Input::Buffer(buffer)) => prepared.buffer(buffer),
            }
        }
        prepared
    }

    /// Stores the memory of a launch for the next launch of this thread.
    pub fn store(self, mut key: LaunchKey) {
        let mut args = self.args;
        args.clear();
        key.clear();
        // While a thread ends, its thread-local slot can already be destroyed. The memory is then freed.
        let _ = REUSED.try_with(|slot| slot.set(Some((args, key))));
    }

    fn reject(&mut self, input: &BufferInput<'_>, reason: String) {
        self.rejected.get_or_insert_with(|| RuntimeError::user(format!("the argument `{}` {reason}", input.name)));
    }

    /// Rejects an argument whose element size differs from the element size in the kernel. Rejects an
    /// argument whose length is not a multiple of the line size, if the kernel accesses it. Some programs for CubeCL pass the number of lines as
    /// the length. Therefore the function accepts a length of `n` if the memory has room for `n` lines.
    fn check_elements(&mut self, input: &BufferInput<'_>) {
        let BufferInput { elem, elem_size, length, line, .. } = *input;
        if elem_size != elem.size() {
            let reason = format!(
                "was made for elements of {elem_size} bytes, but the kernel's elements are {elem}, of {} bytes; create it with `from_raw_parts::<{elem}>`",
                elem.size()
            );
            self.reject(input, reason);
        } else if line == 0 {
            self.reject(input, "has lines of 0 elements; pass the line size 1 for single elements".into());
        } else if matches!(line, 2 | 4 | 8 | 16)
            && !length.is_multiple_of(line as usize)
            && (length as u64).saturating_mul(u64::from(line) * elem_size as u64) > input.handle.size()
        {
            // If the line size is not supported, the builder reports an error that lists the supported line sizes.
            let error = RuntimeError::user(format!(
                "the argument `{}` has {length} elements, which is not a multiple of its line size {line}; change the line size or the length",
                input.name
            ));
            self.partial.push((self.args.len(), error));
        }
    }

    fn buffer(&mut self, input: &BufferInput<'_>) {
        let BufferInput { handle, elem, length, shape, is_alias, .. } = *input;
        if !is_alias {
            self.check_elements(input);
        }
        let line = input.line.max(1);
        // The launch returns the error, so that the kernel's own errors precede it.
        let buffer = handle.buffer().unwrap_or_else(|error| {
            self.outside.get_or_insert(error);
            handle.whole_buffer().clone()
        });
        let size = elem.size() as u64;
        let bytes = whole_lines(buffer.size(), u64::from(line) * size);
        let wide = |list: &[usize]| list.iter().map(|n| *n as u64).collect();
        let dims = match shape {
            Some((shape, strides)) => Some(Dims { len: length as u64, shape: wide(shape), strides: wide(strides) }),
            // An argument without dimensions is an array of the whole buffer.
            None if (length as u64).checked_mul(size) == Some(bytes) => None,
            None => Some(Dims::array(length as u64)),
        };
        let holds = |dims: &Dims| dims.extent().saturating_mul(size) <= handle.size();
        self.hold_their_elements &= dims.as_ref().is_none_or(holds);
        self.args.push(Arg::Buffer { buffer: buffer.truncated(bytes), elem, in_place: is_alias, dims });
    }
}
