//! One launch: collects the arguments, finds or builds the kernel, and runs the kernel.
use super::args::LaunchArg;
use super::cubes::{cubes_for_kernel, launched_cubes};
use super::error::LaunchError;
use super::key::LaunchKey;
use super::params::{CompileArg, Declared, Params};
use super::values::{Named, SharedValue, feed, instance};
use crate::host::core::{KernelRequest, KernelSource, LoadedKernel};
use crate::host::handle::Validity;
use crate::host::recording;
use crate::host::{CubeCount, CubeDim, Handle, Runtime, Session};
use crate::ir;
use crate::lang::containers::Element;
use cube_artifact::{ElemType, SourceLocation};
use cube_runtime::launch::{ArgFacts, LaunchFacts};
use cube_runtime::{Arg, Dims, RuntimeError};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// A kernel as MLIR text.
#[derive(Clone)]
pub struct Written {
    /// The text of the kernel's module.
    pub text: String,
    /// Reasons for additional run-time costs that are not visible in the kernel's text.
    pub notes: Vec<String>,
}

/// The buffer of an argument.
struct Source {
    validity: Validity,
    /// Elements of a line.
    line: u32,
}

/// The number of bytes, rounded down to whole lines of `line` bytes. The remaining bytes are not part of the array.
fn whole_lines(bytes: u64, line: u64) -> u64 {
    if line.is_power_of_two() { bytes & !(line - 1) } else { bytes / line * line }
}

/// A launch under construction.
pub struct Launch {
    name: &'static str,
    file: &'static str,
    line: u32,
    checked: bool,
    dim: CubeDim,
    key: LaunchKey,
    /// Host values in the fields of arguments, with the names of the fields.
    values: Vec<(&'static str, SharedValue)>,
    debug: bool,
    deny_checks: bool,
    /// Whether the kernel itself reads its number of cubes, from its last argument.
    reads_cubes: bool,
    args: Vec<Arg>,
    /// The buffer of each argument; `None` for a scalar.
    sources: Vec<Option<Source>>,
    /// Index in `args` of each buffer argument, in order.
    buffers: Vec<usize>,
    /// Whether the memory of each buffer is large enough for all elements of the declared shape.
    hold_their_elements: bool,
    rejected: Option<RuntimeError>,
    /// The first handle whose offsets exceed its buffer.
    outside: Option<LaunchError>,
    /// The buffer arguments that end within a line, with the error for a kernel that accesses them.
    partial: Vec<(usize, RuntimeError)>,
    /// Name of the argument that is being added.
    current: &'static str,
    writes: RefCell<Writes>,
}

/// Vectors whose memory a thread reuses for its next launch. All vectors are empty between launches.
#[derive(Default)]
struct Reused {
    key: LaunchKey,
    args: Vec<Arg>,
    sources: Vec<Option<Source>>,
    buffers: Vec<usize>,
}

thread_local!(static REUSED: Cell<Option<Reused>> = const { Cell::new(None) });

impl Drop for Launch {
    fn drop(&mut self) {
        let mut reused = Reused {
            key: std::mem::take(&mut self.key),
            args: std::mem::take(&mut self.args),
            sources: std::mem::take(&mut self.sources),
            buffers: std::mem::take(&mut self.buffers),
        };
        reused.key.0.clear();
        reused.args.clear();
        reused.sources.clear();
        reused.buffers.clear();
        // While a thread ends, its thread-local slot can already be destroyed. The vectors are then freed.
        let _ = REUSED.try_with(|slot| slot.set(Some(reused)));
    }
}

/// The information about the arguments that a kernel writes.
#[derive(Clone, Default)]
pub enum Writes {
    /// The kernel can write every argument, because its writes are unknown.
    #[default]
    Any,
    /// The arguments that the kernel's parameters declare as written, before the kernel is compiled.
    Declared(Vec<bool>),
    /// The arguments that the compiled code writes.
    LoadedKernel(Arc<LoadedKernel>),
}

impl Writes {
    fn can_write(&self, argument: usize) -> bool {
        let known = match self {
            Writes::Any => return true,
            Writes::Declared(writes) => writes,
            Writes::LoadedKernel(loaded) => &loaded.writes,
        };
        known.get(argument).copied().unwrap_or(true)
    }
}

impl Launch {
    /// Starts a launch of the kernel that is defined at a source location.
    pub fn new(name: &'static str, file: &'static str, line: u32, checked: bool, dim: CubeDim) -> Self {
        let Reused { mut key, args, sources, buffers } = REUSED.take().unwrap_or_default();
        key.update(file.as_bytes()).update(&line.to_le_bytes()).update(name.as_bytes()).update(&[checked.into()]);
        for n in [dim.x, dim.y, dim.z] {
            key.update(&n.to_le_bytes());
        }
        Launch {
            name,
            file,
            line,
            checked,
            dim,
            key,
            values: Vec::new(),
            debug: false,
            deny_checks: false,
            reads_cubes: false,
            args,
            sources,
            buffers,
            hold_their_elements: true,
            rejected: None,
            outside: None,
            partial: Vec::new(),
            current: "",
            writes: RefCell::default(),
        }
    }

    /// Location of the kernel's definition.
    fn location(&self) -> SourceLocation {
        SourceLocation { file: self.file.into(), line: self.line, column: 1 }
    }

    /// Adds the module path and the type of the kernel function to the kernel's key. The path distinguishes kernels with the
    /// same name. The type distinguishes two kernels with the same name that a macro defines at one location. `debug`
    /// requests code for a debugger, as `CUBE_DEBUG=1` does for all kernels. With `deny_checks`, the compiler reports an
    /// error for each bounds check that remains in the kernel.
    pub fn key_of<F: 'static>(&mut self, module: &str, _: &F, debug: bool, deny_checks: bool) {
        self.key.update(module.as_bytes());
        feed(&std::any::TypeId::of::<F>(), &mut self.key);
        (self.debug, self.deny_checks) = (debug, deny_checks);
    }

    /// Adds an argument.
    pub fn argument<T: LaunchArg + ?Sized, R: Runtime>(
        &mut self,
        name: &'static str,
        arg: &T::RuntimeArg<'_, R>,
    ) -> CompileArg {
        self.current = name;
        let arg = T::register::<R>(arg, self);
        arg.hash_into(&mut self.key, &mut self.values);
        arg
    }

    fn reject(&mut self, reason: String) {
        self.rejected.get_or_insert(RuntimeError::user(format!("the argument `{}` {reason}", self.current)));
    }

    /// Rejects an argument whose element size differs from the element size in the kernel. Rejects an
    /// argument whose length is not a multiple of the line size, if the kernel accesses it. Some programs for CubeCL pass the number of lines as
    /// the length. Therefore the function accepts a length of `n` if the memory of `bytes` bytes has room for `n`
    /// lines.
    fn check_elements<T: Element>(&mut self, length: usize, line: u32, elem_size: usize, bytes: u64) {
        let elem = T::item_elem().host();
        if elem_size != elem.size() {
            self.reject(format!(
                "was made for elements of {elem_size} bytes, but the kernel's elements are {elem}, of {} bytes; create it with `from_raw_parts::<{elem}>`",
                elem.size()
            ));
        } else if line == 0 {
            self.reject("has lines of 0 elements; pass the line size 1 for single elements".into());
        } else if matches!(line, 2 | 4 | 8 | 16)
            && !length.is_multiple_of(line as usize)
            && (length as u64).saturating_mul(u64::from(line) * elem_size as u64) > bytes
        {
            // If the line size is not supported, the builder reports an error that lists the supported line sizes.
            let error = RuntimeError::user(format!(
                "the argument `{}` has {length} elements, which is not a multiple of its line size {line}; change the line size or the length",
                self.current
            ));
            self.partial.push((self.args.len(), error));
        }
    }

    /// Adds a buffer. `length` counts elements, and `elem_size` is in bytes.
    pub(crate) fn buffer<T: Element>(
        &mut self,
        handle: &Handle,
        length: usize,
        line: u32,
        elem_size: usize,
        shape: Option<(&[usize], &[usize])>,
    ) {
        self.check_elements::<T>(length, line, elem_size, handle.size());
        let elem = T::item_elem().host();
        let line = line.max(1);
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
        let arg = Arg::Buffer { buffer: buffer.truncated(bytes), elem, in_place: false, dims };
        self.push(arg, handle.validity().clone(), line);
    }

    #[inline]
    fn push(&mut self, arg: Arg, validity: Validity, line: u32) {
        self.buffers.push(self.args.len());
        self.args.push(arg);
        self.sources.push(Some(Source { validity, line }));
    }

    /// Adds an alias of the buffer argument at `position`, and returns the line size of the buffer.
    pub(crate) fn alias(&mut self, position: usize) -> u32 {
        let found = self.buffers.get(position).and_then(|i| match (&self.args[*i], &self.sources[*i]) {
            (Arg::Buffer { buffer, elem, dims, .. }, Some(Source { validity, line })) => {
                let arg = Arg::Buffer { buffer: buffer.clone(), elem: *elem, in_place: true, dims: dims.clone() };
                Some((arg, validity.clone(), *line))
            }
            _ => None,
        });
        let Some((arg, validity, line)) = found else {
            let message = format!(
                "an alias refers to buffer {position}, which is not an earlier argument; use the position of an earlier buffer"
            );
            self.rejected.get_or_insert(RuntimeError::user(message));
            return 1;
        };
        self.push(arg, validity, line);
        line
    }

    /// Adds a scalar.
    pub(super) fn scalar(&mut self, value: cube_runtime::Scalar) {
        self.args.push(Arg::Scalar(value));
        self.sources.push(None);
    }

    /// Runs the launch. `types` and `values` select the kernel, and `write` builds a kernel that is not cached. An
    /// unchecked launch becomes checked if the memory of an argument is smaller than the declared shape.
    ///
    /// # Errors
    /// An argument is invalid, the kernel does not compile, or the launch exceeds a limit of the kernel or
    /// the device.
    pub fn run(
        mut self,
        core: &Session,
        count: CubeCount,
        types: &[(&'static str, &'static str)],
        values: &[Named<'_>],
        write: &dyn Fn(&mut Params),
    ) -> Result<(), LaunchError> {
        // Without this check, an unchecked launch could access memory outside of the buffer.
        if !self.checked && !self.hold_their_elements {
            self.checked = true;
            self.key.update(b"checked after all");
        }
        // Neither the driver of a GPU nor a graph takes the number of cubes from memory.
        let takes_cubes = core.device.properties().indirect_launch && core.recorder.is_none();
        if matches!(count, CubeCount::Dynamic(_)) && !takes_cubes {
            self.reads_cubes = true;
            self.key.update(b"cubes in a buffer");
        }
        for (_, value) in values {
            value.hash_into(&mut self.key);
        }
        self.key.update(&[self.debug.into(), self.deny_checks.into()]);
        let mut args = std::mem::take(&mut self.args);
        let mut all = Vec::new();
        let values = if self.values.is_empty() {
            values
        } else {
            all.extend_from_slice(values);
            all.extend(self.values.iter().map(|(name, value)| -> Named<'_> { (name, &**value) }));
            &all
        };
        let request = KernelRequest {
            key: self.key.bytes(),
            source: KernelSource { name: self.name, file: self.file, line: self.line },
            values,
            debug: self.debug,
            instance: &|| instance(self.name, types, values),
        };
        if recording::is_active() {
            self.record(core, &request, &args, &count, write);
            self.args = args;
            return Ok(());
        }
        let outcome =
            self.try_run(core, count, &request, &mut args, write).map_err(|e| e.of_kernel(self.name, self.location()));
        if let (Err(error), Some(recorder)) = (&outcome, &core.recorder) {
            recorder.fail(error);
        } else if let Err(error) = &outcome {
            // The outputs of a failed launch are marked as invalid. If the written arguments are unknown, every buffer
            // is treated as an output.
            let writes = self.writes.borrow();
            for (i, source) in self.sources.iter().enumerate() {
                if let Some(source) = source
                    && writes.can_write(i)
                {
                    source.validity.mark_failed(error);
                }
            }
        }
        self.args = args;
        outcome
    }

    /// Adds the launch to the recording of this thread. Until the end of the recording, a read of the outputs is an
    /// error.
    fn record(
        &self,
        core: &Session,
        request: &KernelRequest<'_>,
        args: &[Arg],
        count: &CubeCount,
        write: &dyn Fn(&mut Params),
    ) {
        let of_kernel = |error: LaunchError| error.of_kernel(self.name, self.location());
        let rejected = self.rejected.as_ref().or(self.partial.first().map(|(_, error)| error));
        let writes = match rejected {
            Some(rejected) => recording::add_failure(core, request, of_kernel(rejected.clone().into())),
            None => recording::add(core, request, facts(args, count), || {
                let written = self.write(write).map_err(of_kernel)?;
                Ok((written, self.writes.take()))
            }),
        };
        for (i, source) in self.sources.iter().enumerate() {
            if let Some(source) = source
                && writes.can_write(i)
            {
                recording::invalidate(&source.validity);
            }
        }
    }

    fn try_run(
        &self,
        core: &Session,
        count: CubeCount,
        request: &KernelRequest<'_>,
        args: &mut Vec<Arg>,
        write: &dyn Fn(&mut Params),
    ) -> Result<(), LaunchError> {
        if let Some(rejected) = &self.rejected {
            return Err(rejected.clone().into());
        }
        let loaded = core.kernel(request, || self.write(write))?;
        // All threads share the reference count of the kernel, so it is moved, and only if the caller needs it.
        self.launch_loaded(core, count, &loaded, args)
            .inspect_err(|_| *self.writes.borrow_mut() = Writes::LoadedKernel(loaded))
    }

    fn launch_loaded(
        &self,
        core: &Session,
        count: CubeCount,
        loaded: &LoadedKernel,
        args: &mut Vec<Arg>,
    ) -> Result<(), LaunchError> {
        if let Some((_, error)) = self.partial.iter().find(|(argument, _)| loaded.accesses(*argument)) {
            return Err(error.clone().into());
        }
        if let Some(error) = &self.outside {
            return Err(error.clone());
        }
        join_same_bytes(args);
        let count = match &count {
            CubeCount::Dynamic(handle) if self.reads_cubes => {
                args.push(Arg::buffer(&cubes_for_kernel(core, handle, loaded, args)?, ElemType::U32));
                launched_cubes(core, self.dim)
            }
            _ => count,
        };
        let written = self.sources.iter().zip(&loaded.writes).filter_map(|(source, writes)| match source {
            Some(source) if *writes => Some(&source.validity),
            _ => None,
        });
        core.launch(loaded, args, &count, written)
    }

    fn write(&self, write: &dyn Fn(&mut Params)) -> Result<Written, LaunchError> {
        let declared = Declared::default();
        let written = ir::run(self.debug, || {
            ir::with(|b| b.at(self.line * 4096 + 1));
            declared.borrow_mut().clear();
            write(&mut Params::new(declared.clone()));
            if self.reads_cubes {
                Params::new(declared.clone()).cubes();
            }
        });
        *self.writes.borrow_mut() = Writes::Declared(declared.take());
        let builder = written?;
        let dim = [self.dim.x, self.dim.y, self.dim.z];
        let mode = match (self.checked, self.deny_checks) {
            (true, true) => " attributes {cube.deny_checks}",
            (true, false) => "",
            (false, _) => " unchecked",
        };
        let notes = builder.notes();
        Ok(Written { text: builder.finish(self.name, dim, mode, (self.file, self.line)), notes })
    }
}

/// The arguments and the cube count of a launch, for the prediction of its time; `None` if the device reads the cube
/// count.
fn facts(args: &[Arg], count: &CubeCount) -> Option<LaunchFacts> {
    let CubeCount::Static(x, y, z) = count else { return None };
    let args = args.iter().map(|arg| match arg {
        Arg::Scalar(scalar) => ArgFacts::Scalar(*scalar),
        Arg::Buffer { buffer, dims, .. } => ArgFacts::Buffer { bytes: buffer.size(), dims: dims.clone() },
    });
    Some(LaunchFacts { args: args.collect(), cubes: [*x, *y, *z] })
}

/// Marks an argument as an alias if an earlier argument has the same buffer range. The launch treats a
/// detected alias like an explicit alias.
fn join_same_bytes(args: &mut [Arg]) {
    for i in 1..args.len() {
        let (before, rest) = args.split_at_mut(i);
        let Arg::Buffer { buffer, in_place, .. } = &mut rest[0] else { continue };
        *in_place |= before.iter().any(|arg| matches!(arg, Arg::Buffer { buffer: b, .. } if b.same_bytes(buffer)));
    }
}
