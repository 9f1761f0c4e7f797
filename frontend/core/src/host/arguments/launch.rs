//! One launch: collects the arguments, finds or builds the kernel, and runs the kernel.
use super::args::LaunchArg;
use super::cubes::{cubes_for_kernel, launched_cubes};
use super::error::LaunchError;
use super::key::LaunchKey;
use super::lists::{keep, push};
use super::params::{CompileArg, Declared, Params};
use super::prepare::{BufferInput, Input, Prepared};
use super::recent;
use super::values::{Named, SharedValue, feed, instance};
use crate::host::core::{KernelRequest, KernelSource, LoadedKernel};
use crate::host::handle::Validity;
use crate::host::recording;
use crate::host::{CubeCount, CubeDim, Handle, Runtime, Session};
use crate::ir;
use crate::lang::containers::Element;
use cube_artifact::ElemType;
use cube_runtime::launch::{ArgFacts, LaunchFacts};
use cube_runtime::{Arg, Buffer};
use smallvec::SmallVec;
use std::any::TypeId;
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

/// Number of arguments, of buffers and of scalars of a launch that need no memory of the heap.
const FEW: usize = 16;

thread_local! {
    static INPUTS: Cell<Vec<Input<'static>>> = const { Cell::new(Vec::new()) };
    static BUFFERS: Cell<Vec<&'static Buffer>> = const { Cell::new(Vec::new()) };
    static SCALARS: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// A launch under construction. It refers to the handles and to the arguments of the program.
pub struct Launch<'x> {
    pub(super) source: KernelSource,
    module: &'static str,
    /// The type of the kernel function.
    pub(super) kernel: TypeId,
    checked: bool,
    dim: CubeDim,
    /// The properties of the launch that select the kernel of `kernel`.
    pub(super) key: LaunchKey,
    /// Host values in the fields of arguments, with the names of the fields.
    pub(super) values: Vec<(&'static str, SharedValue)>,
    debug: bool,
    deny_checks: bool,
    /// Whether the kernel itself reads its number of cubes, from its last argument.
    reads_cubes: bool,
    pub(super) inputs: SmallVec<[Input<'x>; FEW]>,
    /// The buffers of `inputs`, in order, without the offsets of their handles.
    pub(super) buffers: SmallVec<[&'x Buffer; FEW]>,
    /// The slots of the scalars of `inputs`, in order.
    pub(super) scalars: SmallVec<[u64; FEW]>,
    /// The first alias of a missing buffer: the number of arguments before it, and the position of the buffer.
    wrong_alias: Option<(usize, usize)>,
    /// Name of the argument that is being added.
    current: &'static str,
    writes: RefCell<Writes>,
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

impl<'x> Launch<'x> {
    /// Starts a launch of the kernel that is defined at a source location. The module path distinguishes kernels with the same
    /// name. The type distinguishes two kernels with the same name that a macro defines at one location.
    #[inline]
    pub fn new<F: 'static>(source: KernelSource, module: &'static str, _: &F, checked: bool, dim: CubeDim) -> Self {
        let mut key = LaunchKey::default();
        key.word(u64::from(checked) | u64::from(dim.x) << 32);
        key.word(u64::from(dim.y) | u64::from(dim.z) << 32);
        Launch {
            source,
            module,
            kernel: TypeId::of::<F>(),
            checked,
            dim,
            key,
            values: Vec::new(),
            debug: false,
            deny_checks: false,
            reads_cubes: false,
            inputs: SmallVec::new(),
            buffers: SmallVec::new(),
            scalars: SmallVec::new(),
            wrong_alias: None,
            current: "",
            writes: RefCell::default(),
        }
    }

    /// Sets properties of the kernel's code. `debug` requests code for a debugger, as `CUBE_DEBUG=1` does for all kernels. With
    /// `deny_checks`, the compiler reports an error for each bounds check that remains in the kernel.
    #[inline]
    pub fn set_code(&mut self, debug: bool, deny_checks: bool) {
        (self.debug, self.deny_checks) = (debug, deny_checks);
        self.key.word(u64::from(debug) | u64::from(deny_checks) << 1);
    }

    /// Adds an argument.
    #[inline]
    pub fn argument<'a: 'x, T: LaunchArg + ?Sized, R: Runtime>(
        &mut self,
        name: &'static str,
        arg: &'x T::RuntimeArg<'a, R>,
    ) -> CompileArg {
        self.current = name;
        let arg = T::register::<R>(arg, self);
        arg.hash_into(&mut self.key, &mut self.values);
        arg
    }

    /// Adds a buffer. `length` counts elements, and `elem_size` is in bytes.
    #[inline]
    pub(crate) fn buffer<T: Element>(
        &mut self,
        handle: &'x Handle,
        length: usize,
        line: u32,
        elem_size: usize,
        shape: Option<(&'x [usize], &'x [usize])>,
    ) {
        let (elem, name) = (T::item_elem().host(), self.current);
        push(&mut self.buffers, handle.whole_buffer(), &BUFFERS);
        let input = BufferInput { name, handle, elem, elem_size, length, line, shape, is_alias: false };
        push(&mut self.inputs, Input::Buffer(input), &INPUTS);
    }

    /// Adds an alias of the buffer argument at `position`, and returns the line size of the buffer.
    pub(crate) fn alias(&mut self, position: usize) -> u32 {
        let mut buffers = self.inputs.iter().filter_map(Input::buffer);
        let Some(found) = buffers.nth(position).copied() else {
            self.wrong_alias.get_or_insert((self.inputs.len(), position));
            return 1;
        };
        push(&mut self.buffers, found.handle.whole_buffer(), &BUFFERS);
        push(&mut self.inputs, Input::Buffer(BufferInput { name: self.current, is_alias: true, ..found }), &INPUTS);
        found.line.max(1)
    }

    /// Adds a scalar.
    #[inline]
    pub(super) fn scalar(&mut self, value: cube_runtime::Scalar) {
        push(&mut self.scalars, value.slot(), &SCALARS);
        push(&mut self.inputs, Input::Scalar(value), &INPUTS);
    }

    /// Runs the launch. `types` and `values` select the kernel, and `write` builds a kernel that is not cached. An
    /// unchecked launch becomes checked if the memory of an argument is smaller than the declared shape.
    ///
    /// # Errors
    /// An argument is invalid, the kernel does not compile, or the launch exceeds a limit of the kernel or
    /// the device.
    pub fn run(
        &mut self,
        core: &Session,
        count: CubeCount,
        types: &[(&'static str, &'static str)],
        values: &[Named<'_>],
        write: &dyn Fn(&mut Params),
    ) -> Result<(), LaunchError> {
        for (_, value) in values {
            value.hash_into(&mut self.key);
        }
        let repeated = if self.wrong_alias.is_none() { recent::repeat(self, core, &count, values) } else { None };
        let launched = match repeated {
            Some(launched) => launched.or_else(|error| self.failed(core, error)),
            None => self.run_new(core, count, types, values, write),
        };
        self.keep_memory();
        launched
    }

    /// Keeps the memory of the lists for the next launch of this thread.
    #[inline]
    fn keep_memory(&mut self) {
        keep(&mut self.inputs, &INPUTS);
        keep(&mut self.buffers, &BUFFERS);
        keep(&mut self.scalars, &SCALARS);
        self.key.keep();
    }

    /// Runs a launch that repeats no earlier launch of this thread.
    #[cold]
    fn run_new(
        &mut self,
        core: &Session,
        count: CubeCount,
        types: &[(&'static str, &'static str)],
        values: &[Named<'_>],
        write: &dyn Fn(&mut Params),
    ) -> Result<(), LaunchError> {
        let mut prepared = Prepared::of(&self.inputs, self.wrong_alias);
        prepared.key.update(self.source.file.as_bytes()).update(self.source.name.as_bytes());
        prepared.key.update(self.module.as_bytes()).word(u64::from(self.source.line));
        feed(&self.kernel, &mut prepared.key);
        prepared.key.append(&self.key);
        // Without this check, an unchecked launch could access memory outside of the buffer.
        if !self.checked && !prepared.hold_their_elements {
            self.checked = true;
            prepared.key.update(b"checked after all");
        }
        // Neither the driver of a GPU nor a graph takes the number of cubes from memory.
        let takes_cubes = core.device.properties().indirect_launch && core.recorder.is_none();
        if matches!(count, CubeCount::Dynamic(_)) && !takes_cubes {
            self.reads_cubes = true;
            prepared.key.update(b"cubes in a buffer");
        }
        let (mut all, given) = (Vec::new(), values);
        let values = if self.values.is_empty() {
            values
        } else {
            all.extend_from_slice(values);
            all.extend(self.values.iter().map(|(name, value)| -> Named<'_> { (name, &**value) }));
            &all
        };
        let key = std::mem::take(&mut prepared.key);
        let request = KernelRequest {
            key: key.words(),
            source: self.source,
            values,
            debug: self.debug,
            instance: &|| instance(self.source.name, types, values),
        };
        if recording::is_active() {
            self.record(core, &request, &prepared, &count, write);
            prepared.store(key);
            return Ok(());
        }
        let outcome = self.try_run(core, &count, &request, &mut prepared, write);
        let outcome = outcome.map(|loaded| recent::remember(self, core, &count, given, &loaded, &prepared.args));
        prepared.store(key);
        outcome.or_else(|error| self.failed(core, error))
    }

    /// Marks the outputs of a failed launch as invalid. If the written arguments are unknown, every buffer is treated as an
    /// output.
    #[cold]
    fn failed(&self, core: &Session, error: LaunchError) -> Result<(), LaunchError> {
        let error = error.of_kernel(self.source.name, self.source.location());
        if let Some(recorder) = &core.recorder {
            recorder.fail(&error);
        } else {
            let writes = self.writes.borrow();
            self.written(|argument| writes.can_write(argument)).for_each(|validity| validity.mark_failed(&error));
        }
        Err(error)
    }

    /// States the arguments that a repeated launch writes, before the launch.
    pub(super) fn set_writes(&self, loaded: &Arc<LoadedKernel>) {
        *self.writes.borrow_mut() = Writes::LoadedKernel(loaded.clone());
    }

    /// The buffers of the arguments for which `writes` is true.
    pub(super) fn written(&self, writes: impl Fn(usize) -> bool) -> impl Iterator<Item = &'x Validity> {
        let inputs = self.inputs.iter().enumerate();
        inputs.filter_map(move |(i, input)| input.buffer().filter(|_| writes(i)).map(|input| input.handle.validity()))
    }

    /// Adds the launch to the recording of this thread. Until the end of the recording, a read of the outputs is an
    /// error.
    fn record(
        &self,
        core: &Session,
        request: &KernelRequest<'_>,
        prepared: &Prepared,
        count: &CubeCount,
        write: &dyn Fn(&mut Params),
    ) {
        let of_kernel = |error: LaunchError| error.of_kernel(self.source.name, self.source.location());
        let rejected = prepared.rejected.as_ref().or(prepared.partial.first().map(|(_, error)| error));
        let writes = match rejected {
            Some(rejected) => recording::add_failure(core, request, of_kernel(rejected.clone().into())),
            None => recording::add(core, request, facts(&prepared.args, count), || {
                let written = self.write(write).map_err(of_kernel)?;
                Ok((written, self.writes.take()))
            }),
        };
        self.written(|argument| writes.can_write(argument)).for_each(recording::invalidate);
    }

    fn try_run(
        &self,
        core: &Session,
        count: &CubeCount,
        request: &KernelRequest<'_>,
        prepared: &mut Prepared,
        write: &dyn Fn(&mut Params),
    ) -> Result<Arc<LoadedKernel>, LaunchError> {
        if let Some(rejected) = &prepared.rejected {
            return Err(rejected.clone().into());
        }
        let loaded = core.kernel(request, || self.write(write))?;
        // All threads share the reference count of the kernel, so it is moved.
        match self.launch_loaded(core, count, &loaded, prepared) {
            Ok(()) => Ok(loaded),
            Err(error) => {
                *self.writes.borrow_mut() = Writes::LoadedKernel(loaded);
                Err(error)
            }
        }
    }

    fn launch_loaded(
        &self,
        core: &Session,
        count: &CubeCount,
        loaded: &LoadedKernel,
        prepared: &mut Prepared,
    ) -> Result<(), LaunchError> {
        if let Some((_, error)) = prepared.partial.iter().find(|(argument, _)| loaded.accesses(*argument)) {
            return Err(error.clone().into());
        }
        if let Some(error) = &prepared.outside {
            return Err(error.clone());
        }
        let args = &mut prepared.args;
        join_same_bytes(args);
        let launched;
        let count = match count {
            CubeCount::Dynamic(handle) if self.reads_cubes => {
                args.push(Arg::buffer(&cubes_for_kernel(core, handle, loaded, args)?, ElemType::U32));
                launched = launched_cubes(core, self.dim);
                &launched
            }
            count => count,
        };
        core.launch(loaded, args, count, self.written(|argument| loaded.writes.get(argument) == Some(&true)))
    }

    fn write(&self, write: &dyn Fn(&mut Params)) -> Result<Written, LaunchError> {
        let declared = Declared::default();
        let written = ir::run(self.debug, || {
            ir::with(|b| b.at(self.source.line * 4096 + 1));
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
        Ok(Written { text: builder.finish(self.source.name, dim, mode, (self.source.file, self.source.line)), notes })
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
