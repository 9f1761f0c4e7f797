//! Recordings of launches. While a thread records, its launches do not run. The recording collects the kernels of the
//! launches, so that they can be compiled together.
use super::arguments::{LaunchError, StoredValue, Writes, Written, values_match};
use super::core::{Core, KernelRequest, KernelSource, LoadedKernel, Session, hash_of_text};
use super::handle::Validity;
use cube_runtime::launch::LaunchFacts;
use std::cell::RefCell;
use std::sync::Arc;

/// The kernel of a recorded launch.
pub(crate) struct Recorded {
    pub core: Arc<Core>,
    pub source: KernelSource,
    /// The kernel's name with its types and values.
    pub instance: String,
    pub key: Box<[u64]>,
    pub values: Vec<StoredValue>,
    pub debug: bool,
    pub state: State,
    writes: Writes,
}

/// The state of a kernel when its launch was recorded.
pub(crate) enum State {
    /// The kernel was loaded before.
    Loaded(Arc<LoadedKernel>),
    /// The kernel's text is known, and the kernel is not compiled.
    Written(Written),
    /// The launch cannot run, because its arguments or its kernel are invalid.
    Failed(LaunchError),
}

impl Recorded {
    /// A hash of the kernel's text. A kernel without a text has the hash of its name with its types and values.
    pub fn text_hash(&self) -> [u8; 32] {
        match &self.state {
            State::Loaded(loaded) => loaded.text_hash,
            State::Written(written) => hash_of_text(&written.text),
            State::Failed(_) => hash_of_text(&self.instance),
        }
    }
}

/// One recorded launch.
pub(crate) struct RecordedLaunch {
    pub kernel: Arc<Recorded>,
    /// The arguments and the cube count; `None` if the device reads the cube count from a buffer, or the arguments are
    /// unknown.
    pub facts: Option<LaunchFacts>,
}

#[derive(Default)]
struct Recording {
    kernels: Vec<Arc<Recorded>>,
    launches: Vec<RecordedLaunch>,
    /// The buffers that recorded launches write, each with its earlier failure.
    invalidated: Vec<(Validity, Option<LaunchError>)>,
}

thread_local!(static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) });

/// Whether this thread records.
pub(super) fn is_active() -> bool {
    RECORDING.with_borrow(Option::is_some)
}

/// Runs `work` while this thread records, and returns the kernels of all launches in `work`, each kernel once.
pub(crate) fn record<T>(work: impl FnOnce() -> T) -> (T, Vec<Arc<Recorded>>) {
    let (result, kernels, _) = record_launches(work);
    (result, kernels)
}

/// Like [`record`], and also returns all launches in their order.
pub(crate) fn record_launches<T>(work: impl FnOnce() -> T) -> (T, Vec<Arc<Recorded>>, Vec<RecordedLaunch>) {
    /// Guard that ends the recording when it is dropped, also after a panic.
    struct End(Option<Recording>);
    impl Drop for End {
        fn drop(&mut self) {
            let ended = RECORDING.replace(self.0.take());
            // The loop is in reverse order, so that the earliest stored state of each buffer is restored last.
            for (buffer, failure) in ended.into_iter().flat_map(|recording| recording.invalidated).rev() {
                match failure {
                    Some(failure) => buffer.mark_failed(&failure),
                    None => buffer.mark_good(),
                }
            }
        }
    }
    let _end = End(RECORDING.replace(Some(Recording::default())));
    let result = work();
    let take =
        |recording: &mut Recording| (std::mem::take(&mut recording.kernels), std::mem::take(&mut recording.launches));
    let (kernels, launches) = RECORDING.with_borrow_mut(|recording| recording.as_mut().map(take)).unwrap_or_default();
    (result, kernels, launches)
}

/// Adds a launch. `write` returns the text of its kernel. The result describes the arguments that the kernel writes.
pub(super) fn add(
    core: &Session,
    request: &KernelRequest<'_>,
    facts: Option<LaunchFacts>,
    write: impl FnOnce() -> Result<(Written, Writes), LaunchError>,
) -> Writes {
    let same_key = |recorded: &&Arc<Recorded>| {
        Arc::ptr_eq(&recorded.core, &core.core)
            && *recorded.key == *request.key
            && !matches!(recorded.state, State::Failed(_))
    };
    let same_key: Vec<Arc<Recorded>> =
        RECORDING.with_borrow(|r| r.iter().flat_map(|r| &r.kernels).filter(same_key).cloned().collect());
    // The comparison calls the program's `Eq` without a borrow of the recording, because the program's code can launch
    // kernels.
    if let Some(recorded) = same_key.iter().find(|recorded| values_match(request.values, &recorded.values)) {
        push_launch(recorded.clone(), facts);
        return recorded.writes.clone();
    }
    let (state, writes) = match core.find(request) {
        Some(loaded) => (State::Loaded(loaded.clone()), Writes::LoadedKernel(loaded)),
        None => match write() {
            Ok((written, writes)) => (State::Written(written), writes),
            Err(error) => (State::Failed(error), Writes::Any),
        },
    };
    push(core, request, state, writes.clone(), facts);
    writes
}

/// Adds a launch with invalid arguments.
pub(super) fn add_failure(core: &Session, request: &KernelRequest<'_>, error: LaunchError) -> Writes {
    push(core, request, State::Failed(error), Writes::Any, None);
    Writes::Any
}

fn push(core: &Session, request: &KernelRequest<'_>, state: State, writes: Writes, facts: Option<LaunchFacts>) {
    let recorded = Recorded {
        core: core.core.clone(),
        source: request.source,
        instance: (request.instance)(),
        key: request.key.into(),
        values: request.values.iter().map(|(_, value)| value.keep()).collect(),
        debug: request.debug,
        state,
        writes,
    };
    let recorded = Arc::new(recorded);
    RECORDING.with_borrow_mut(|recording| recording.as_mut().map(|r| r.kernels.push(recorded.clone())));
    push_launch(recorded, facts);
}

fn push_launch(kernel: Arc<Recorded>, facts: Option<LaunchFacts>) {
    let launch = RecordedLaunch { kernel, facts };
    RECORDING.with_borrow_mut(|recording| recording.as_mut().map(|r| r.launches.push(launch)));
}

/// Makes reads of a buffer an error until the end of the recording, because a recorded launch writes the buffer.
pub(super) fn invalidate(buffer: &Validity) {
    let before = buffer.failure();
    buffer.mark_failed(&LaunchError::of_user(
        "the launch that writes this memory was only recorded and did not run; read the memory after a launch outside of the recording",
    ));
    RECORDING.with_borrow_mut(|recording| {
        recording.iter_mut().for_each(|recording| recording.invalidated.push((buffer.clone(), before.clone())));
    });
}
