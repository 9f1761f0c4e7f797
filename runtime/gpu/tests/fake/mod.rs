//! A driver for tests that simulates a GPU with threads. Each stream is a thread that executes the commands of the
//! stream late and at random times. All streams share the memory of the simulated GPU. If the runtime omits a
//! necessary wait, the test gets a wrong result. A test can make any driver call fail.
mod memory;

use cube_artifact::CodeFormat;
use cube_runtime::{DeviceProperties, MemorySpace, RuntimeError};
use cube_runtime_gpu::driver::{
    Address, Class, DeviceInfo, Driver, DriverError, DriverResult, EventHandle, Function, GraphHandle, Grid, Logged,
    Stream,
};
use memory::{copy, release, reserve};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// Memory of the simulated device in bytes.
pub const MEMORY: u64 = 512 << 20;

/// Number of successful driver calls before the call that fails; negative if no call fails.
static FAIL_IN: AtomicI64 = AtomicI64::new(-1);

/// Graphs that were recorded so far.
pub static RECORDINGS: AtomicU64 = AtomicU64::new(0);

/// Clearings of memory that were submitted so far.
pub static CLEARS: AtomicU64 = AtomicU64::new(0);

/// The function that replaces the elements instead of multiplying them.
const FILL: u64 = 3;

/// The number of recordings in progress, and whether a context was synchronised meanwhile, which invalidates a recording.
static OPEN: AtomicU64 = AtomicU64::new(0);
static INVALIDATED: AtomicBool = AtomicBool::new(false);

/// Calls so far.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// Makes a driver call fail after `calls` successful calls.
pub fn fail_in(calls: Option<u64>) {
    FAIL_IN.store(calls.map_or(-1, |calls| calls as i64), Ordering::SeqCst);
}

/// Whether the chosen call has failed.
pub fn has_failed() -> bool {
    FAIL_IN.load(Ordering::SeqCst) == -1
}

/// The number of a device that has no access to the memory of other devices.
pub const WITHOUT_PEERS: u32 = 2;

/// A context, identified by its number.
#[derive(Clone, Copy)]
pub struct Fake {
    number: u64,
    ordinal: u32,
}

type Work = Box<dyn FnOnce(&Context) + Send>;

enum Command {
    Work(Work),
    Record(u64, u64),
    Wait(u64, u64),
}

#[derive(Default)]
struct State {
    streams: HashMap<u64, VecDeque<Command>>,
    busy: HashMap<u64, bool>,
    /// For each event: the number of its last recording, and the number of the last recording that a stream has
    /// passed.
    events: HashMap<u64, (u64, u64)>,
    /// The freed events. Commands that wait for a freed event still wait.
    freed: HashSet<u64>,
    memory: HashMap<u64, u64>,
    used: u64,
    fault: bool,
    over: bool,
    graphs: HashMap<u64, Vec<Template>>,
}

#[derive(Default)]
struct Context {
    state: Mutex<State>,
    changed: Condvar,
}

static CONTEXTS: Mutex<Option<HashMap<u64, Arc<Context>>>> = Mutex::new(None);
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A command that a graph repeats.
#[derive(Clone)]
enum Template {
    Copy(Address, Address, u64),
    Launch(Function, Grid, Vec<u64>),
}

thread_local!(static RECORDED: RefCell<Option<Vec<Template>>> = const { RefCell::new(None) });
thread_local!(static CURRENT: Cell<u64> = const { Cell::new(0) });

fn error(call: &str, class: Class) -> DriverError {
    DriverError { call: call.into(), class, description: format!("FAKE_{class:?}") }
}

/// Counts a driver call, which fails if a test has requested the failure.
fn called(call: &str) -> DriverResult<()> {
    CALLS.fetch_add(1, Ordering::Relaxed);
    let left = FAIL_IN.load(Ordering::SeqCst);
    if left < 0 || FAIL_IN.fetch_sub(1, Ordering::SeqCst) != 0 {
        return Ok(());
    }
    let class = if call == "alloc" { Class::OutOfMemory } else { Class::Other };
    Err(error(call, class))
}

fn run(context: &Context, function: Function, grid: &Grid, slots: &[u64]) {
    if function.function == 2 {
        let mut state = context.state.lock().unwrap();
        state.fault = true;
        return drop(state);
    }
    let (start, length, a) = (slots[0] as usize as *mut f32, slots[1], f32::from_bits(slots[2] as u32));
    let units = u64::from(grid.cubes[0]) * u64::from(grid.dim[0]);
    let fills = function.function == FILL;
    // SAFETY: as in `copy`.
    let elements = unsafe { std::slice::from_raw_parts_mut(start, units.min(length) as usize) };
    elements.iter_mut().for_each(|element| *element = if fills { a } else { *element * a });
}

impl Template {
    fn work(self) -> Work {
        match self {
            Template::Copy(from, to, bytes) => Box::new(move |_| copy(from, to, bytes as usize)),
            Template::Launch(function, grid, slots) => Box::new(move |context| run(context, function, &grid, &slots)),
        }
    }
}

impl Context {
    /// The thread of a stream.
    fn serve(&self, stream: u64) {
        let mut random = stream.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        loop {
            let mut state = self.state.lock().unwrap();
            let command = loop {
                if state.over {
                    return;
                }
                let ready = match state.streams[&stream].front() {
                    Some(Command::Wait(event, number)) => {
                        state.events.get(event).is_none_or(|(_, done)| done >= number)
                    }
                    Some(_) => true,
                    None => false,
                };
                if ready {
                    break state.streams.get_mut(&stream).and_then(VecDeque::pop_front);
                }
                state = self.changed.wait(state).unwrap();
            };
            state.busy.insert(stream, true);
            let fault = state.fault;
            drop(state);
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            if random.is_multiple_of(3) {
                std::thread::sleep(std::time::Duration::from_micros(random % 60));
            }
            match command {
                Some(Command::Work(work)) if !fault => work(self),
                Some(Command::Record(event, number)) => {
                    if let Some((_, done)) = self.state.lock().unwrap().events.get_mut(&event) {
                        *done = number.max(*done);
                    }
                }
                _ => {}
            }
            self.state.lock().unwrap().busy.insert(stream, false);
            self.changed.notify_all();
        }
    }
}

impl Fake {
    fn context(self) -> Arc<Context> {
        CONTEXTS.lock().unwrap().as_ref().and_then(|all| all.get(&self.number)).expect("a live context").clone()
    }

    fn ok(self, call: &str) -> DriverResult<Arc<Context>> {
        assert_eq!(CURRENT.get(), self.number, "{call} in a thread with another context");
        called(call)?;
        let context = self.context();
        let fault = context.state.lock().unwrap().fault;
        if fault { Err(error(call, Class::Fault)) } else { Ok(context) }
    }

    fn push(self, call: &str, stream: Stream, command: Command) -> DriverResult<()> {
        let context = self.ok(call)?;
        context.state.lock().unwrap().streams.get_mut(&stream.0).expect("a live stream").push_back(command);
        context.changed.notify_all();
        Ok(())
    }

    fn submit(self, call: &str, stream: Stream, template: Template) -> DriverResult<()> {
        let recorded = RECORDED.with_borrow_mut(|recorded| recorded.as_mut().map(|list| list.push(template.clone())));
        if recorded.is_some() {
            return self.ok(call).map(drop);
        }
        self.push(call, stream, Command::Work(template.work()))
    }

    fn wait_until(self, call: &str, done: impl Fn(&State) -> bool) -> DriverResult<()> {
        let context = self.ok(call)?;
        let mut state = context.state.lock().unwrap();
        while !done(&state) && !state.fault {
            state = context.changed.wait(state).unwrap();
        }
        let fault = state.fault;
        drop(state);
        if fault { Err(error(call, Class::Fault)) } else { Ok(()) }
    }
}

impl Driver for Fake {
    const NAME: &'static str = "FAKE";
    const CHECK: &'static str = "nothing";
    const BACKEND: &'static str = "nvptx";
    const FORMAT: CodeFormat = CodeFormat::PTX;
    const DEVICE_VARIABLE: &'static str = "CUBE_TEST_DEVICE";
    const CHILD_VARIABLE: &'static str = "CUBE_TEST_CHILD";
    const SERVES_VARIABLE: &'static str = "CUBE_TEST_SERVES";
    const ALIGNMENT: u32 = 256;
    const STATIC_SHARED_BYTES: u32 = 48 << 10;
    const CODE_IS_TEXT: bool = true;

    fn find(_: u32) -> Result<DeviceInfo, RuntimeError> {
        let properties = DeviceProperties {
            backend: "nvptx".into(),
            formats: vec![CodeFormat::PTX],
            max_cube_count: [1 << 20; 3],
            max_cube_dim: [1024; 3],
            max_units_per_cube: 1024,
            max_shared_bytes: 64 << 10,
            memory_bytes: MEMORY,
            buffer_alignment: 256,
            queues: 8,
            ..DeviceProperties::default()
        };
        Ok(DeviceInfo { name: "fake GPU".into(), chip: "sm_90".into(), version: "1.0".into(), properties })
    }

    fn memory_space(ordinal: u32) -> MemorySpace {
        MemorySpace::Cuda(ordinal)
    }

    fn runs(_: &str, _: &str) -> Option<bool> {
        Some(true)
    }

    fn create(ordinal: u32) -> DriverResult<Fake> {
        called("create")?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        CONTEXTS.lock().unwrap().get_or_insert_default().insert(number, Arc::default());
        CURRENT.set(number);
        Ok(Fake { number, ordinal })
    }

    fn destroy(self) {
        let context =
            CONTEXTS.lock().unwrap().as_mut().and_then(|all| all.remove(&self.number)).expect("destroyed once");
        let mut state = context.state.lock().unwrap();
        while state.busy.values().any(|busy| *busy) {
            state = context.changed.wait(state).unwrap();
        }
        state.over = true;
        for (start, bytes) in std::mem::take(&mut state.memory) {
            release(start, bytes);
        }
        context.changed.notify_all();
    }

    fn enter(self) -> DriverResult<()> {
        CURRENT.set(self.number);
        Ok(())
    }

    fn sync(self) -> DriverResult<()> {
        INVALIDATED.fetch_or(OPEN.load(Ordering::SeqCst) > 0, Ordering::SeqCst);
        let idle = |state: &State| state.streams.values().all(VecDeque::is_empty) && !state.busy.values().any(|b| *b);
        self.wait_until("sync", idle)
    }

    fn stream(self) -> DriverResult<Stream> {
        let context = self.ok("stream")?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        context.state.lock().unwrap().streams.insert(number, VecDeque::new());
        std::thread::spawn(move || context.serve(number));
        Ok(Stream(number))
    }

    fn sync_stream(self, stream: Stream) -> DriverResult<()> {
        let idle =
            |state: &State| state.streams[&stream.0].is_empty() && !state.busy.get(&stream.0).is_some_and(|b| *b);
        self.wait_until("sync_stream", idle)
    }

    fn alloc(self, bytes: u64) -> DriverResult<Address> {
        let context = self.ok("alloc")?;
        let mut state = context.state.lock().unwrap();
        if state.used + bytes > MEMORY {
            return Err(error("alloc", Class::OutOfMemory));
        }
        let start = reserve(bytes);
        state.used += bytes;
        state.memory.insert(start, bytes);
        Ok(start)
    }

    fn free(self, address: Address) -> DriverResult<()> {
        // A failed call also frees the memory, because its caller cannot retry.
        let context = self.context();
        let mut state = context.state.lock().unwrap();
        assert!(state.streams.values().all(VecDeque::is_empty), "memory is freed while commands are queued");
        let bytes = state.memory.remove(&address).expect("freed once");
        state.used -= bytes;
        release(address, bytes);
        Ok(())
    }

    fn memory(self) -> DriverResult<(u64, u64)> {
        let context = self.ok("memory")?;
        let used = context.state.lock().unwrap().used;
        Ok((MEMORY - used, MEMORY))
    }

    // SAFETY: nothing is done.
    unsafe fn lock(self, _: *mut u8, _: usize) -> DriverResult<()> {
        self.ok("lock").map(drop)
    }

    // SAFETY: nothing is done.
    unsafe fn unlock(self, _: *mut u8) -> DriverResult<()> {
        self.ok("unlock").map(drop)
    }

    fn clear(self, stream: Stream, address: Address, bytes: u64) -> DriverResult<()> {
        // SAFETY: as in `copy`.
        let work = move |_: &Context| unsafe { (address as usize as *mut u8).write_bytes(0, bytes as usize) };
        CLEARS.fetch_add(1, Ordering::SeqCst);
        self.push("clear", stream, Command::Work(Box::new(work)))
    }

    fn copy(self, stream: Stream, from: Address, to: Address, bytes: u64) -> DriverResult<()> {
        self.submit("copy", stream, Template::Copy(from, to, bytes))
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn write(self, stream: Stream, address: Address, from: *const u8, bytes: usize) -> DriverResult<()> {
        let from = from as usize as u64;
        self.push("write", stream, Command::Work(Box::new(move |_| copy(from, address, bytes))))
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn read(self, stream: Stream, address: Address, to: *mut u8, bytes: usize) -> DriverResult<()> {
        let to = to as usize as u64;
        self.push("read", stream, Command::Work(Box::new(move |_| copy(address, to, bytes))))
    }

    fn load(self, code: &[u8], _: &str) -> Result<Function, Logged> {
        self.ok("load").map_err(|error| (error, String::new()))?;
        let function = match code {
            b"wild" => 2,
            b"fill" => FILL,
            _ => 1,
        };
        Ok(Function { function, module: 1, waits: false })
    }

    fn unload(self, _: Function) {}

    fn allow_shared(self, _: Function, _: u32) -> DriverResult<()> {
        self.ok("allow_shared").map(drop)
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn launch(self, stream: Stream, function: Function, grid: &Grid, slots: &mut [u64]) -> DriverResult<()> {
        self.submit("launch", stream, Template::Launch(function, *grid, slots.to_vec()))
    }

    fn create_event(self, _: bool) -> DriverResult<EventHandle> {
        let context = self.ok("event")?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        context.state.lock().unwrap().events.insert(number, (0, 0));
        Ok(EventHandle(number))
    }

    fn free_event(self, event: EventHandle) {
        assert!(self.context().state.lock().unwrap().freed.insert(event.0), "an event is freed once");
    }

    fn record(self, event: EventHandle, stream: Stream) -> DriverResult<()> {
        let context = self.ok("record")?;
        let mut state = context.state.lock().unwrap();
        assert!(!state.freed.contains(&event.0), "a live event");
        let (last, _) = state.events.get_mut(&event.0).expect("an event of this context");
        *last += 1;
        let number = *last;
        state.streams.get_mut(&stream.0).expect("a live stream").push_back(Command::Record(event.0, number));
        drop(state);
        context.changed.notify_all();
        Ok(())
    }

    fn wait(self, stream: Stream, event: EventHandle) -> DriverResult<()> {
        let recorded = |context: &Context| {
            let state = context.state.lock().unwrap();
            assert!(!state.freed.contains(&event.0), "a live event");
            state.events.get(&event.0).map(|(number, _)| *number)
        };
        if let Some(number) = recorded(&self.context()) {
            return self.push("wait", stream, Command::Wait(event.0, number));
        }
        let contexts: Vec<_> = CONTEXTS.lock().unwrap().iter().flat_map(HashMap::values).cloned().collect();
        let other = contexts.into_iter().find_map(|context| recorded(&context).map(|number| (context, number)));
        let (other, number) = other.expect("an event of a live context");
        let work = move |_: &Context| {
            let mut state = other.state.lock().unwrap();
            while !state.fault && !state.over && state.events[&event.0].1 < number {
                state = other.changed.wait(state).unwrap();
            }
        };
        self.push("wait", stream, Command::Work(Box::new(work)))
    }

    fn is_complete(self, event: EventHandle) -> DriverResult<bool> {
        let context = self.ok("is_complete")?;
        let (last, done) = context.state.lock().unwrap().events[&event.0];
        Ok(done >= last)
    }

    fn sync_event(self, event: EventHandle) -> DriverResult<()> {
        self.wait_until("sync_event", |state| state.events.get(&event.0).is_none_or(|(last, done)| done >= last))
    }

    fn elapsed(self, _: EventHandle, _: EventHandle) -> DriverResult<f32> {
        // Each query returns a later time, so that more work takes longer.
        self.ok("elapsed").map(|_| CALLS.load(Ordering::Relaxed) as f32)
    }

    fn begin_graph(self, _: Stream) -> DriverResult<()> {
        self.ok("begin_graph")?;
        RECORDED.set(Some(Vec::new()));
        OPEN.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(std::time::Duration::from_micros(200));
        Ok(())
    }

    fn end_graph(self, _: Stream) -> DriverResult<GraphHandle> {
        let recorded = RECORDED.take().unwrap_or_default();
        OPEN.fetch_sub(1, Ordering::SeqCst);
        let context = self.ok("end_graph")?;
        let is_valid = !INVALIDATED.swap(false, Ordering::SeqCst);
        is_valid.then_some(()).ok_or_else(|| error("end_graph", Class::Other))?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        context.state.lock().unwrap().graphs.insert(number, recorded);
        RECORDINGS.fetch_add(1, Ordering::Relaxed);
        Ok(GraphHandle { executable: number, nodes: 0 })
    }

    fn last_node(self, _: Stream) -> DriverResult<u64> {
        self.ok("last_node")?;
        Ok(RECORDED.with_borrow(|recorded| recorded.as_ref().map_or(0, Vec::len)) as u64 - 1)
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn update_launch(
        self,
        graph: GraphHandle,
        node: u64,
        function: Function,
        grid: &Grid,
        slots: &mut [u64],
    ) -> DriverResult<()> {
        let context = self.ok("update_launch")?;
        let mut state = context.state.lock().unwrap();
        let launch = &mut state.graphs.get_mut(&graph.executable).expect("a live graph")[node as usize];
        assert!(matches!(launch, Template::Launch(..)));
        *launch = Template::Launch(function, *grid, slots.to_vec());
        Ok(())
    }

    fn launch_graph(self, stream: Stream, graph: GraphHandle) -> DriverResult<()> {
        let list = self.context().state.lock().unwrap().graphs.get(&graph.executable).expect("a live graph").clone();
        let work = move |context: &Context| list.into_iter().for_each(|template| template.work()(context));
        self.push("launch_graph", stream, Command::Work(Box::new(work)))
    }

    fn connect(self, other: Fake) -> DriverResult<bool> {
        self.ok("connect")?;
        Ok(self.ordinal != WITHOUT_PEERS && other.ordinal != WITHOUT_PEERS)
    }

    fn copy_from(self, stream: Stream, _: Fake, from: Address, to: Address, bytes: u64) -> DriverResult<()> {
        self.submit("copy_from", stream, Template::Copy(from, to, bytes))
    }

    fn free_graph(self, graph: GraphHandle) {
        self.context().state.lock().unwrap().graphs.remove(&graph.executable);
    }
}
