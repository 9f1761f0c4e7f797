//! The queues of the CPU: each queue is a list of commands and has a thread that executes them in order.
//!
//! A command keeps its buffers alive and has a condition: the ticks of other queues that must precede the command. The
//! thread of a queue waits for the condition of the first command, executes the command, and counts it as completed.
//! The memory of completed commands is reused, so only the first launches allocate memory. The number of commands is
//! limited. If a program queues commands faster than the device executes them, the program waits for an unused command.
use crate::command::Command;
use crate::memory::of_another_device;
use crate::sync::{
    AtomicBool, AtomicU64, Condvar, DEPTH, Mutex, MutexGuard, Ordering, POLLS, PoisonError, thread, thread_local,
};
use cube_runtime::device::Completion;
use cube_runtime::queue::{MAX_QUEUES, Queue, Ticks};
use cube_runtime::{ErrorKind, Kernel, RuntimeError};
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// Stack size of a queue's thread in bytes. Kernels keep the local memory of a cube's units on this stack.
const STACK_BYTES: usize = 8 << 20;

thread_local!(static EXECUTES: Cell<bool> = const { Cell::new(false) });

// The memory of this thread's next command. The thread describes the command without the lock of the queues.
thread_local!(static UNUSED: Cell<Option<Box<Command>>> = const { Cell::new(None) });

/// Executes launches for the threads of the queues.
pub(crate) trait Execute: Send + Sync + 'static {
    fn launch(&self, kernel: &Kernel, command: &Command) -> Result<(), RuntimeError>;
}

/// The queues of a device. Commands that are already queued execute even after the device has been dropped.
pub(crate) struct Queues<E: Execute>(Arc<Inner<E>>);

/// A shared reference to the executor of the queues.
pub(crate) struct Shared<E>(Arc<Inner<E>>);

impl<E> Shared<E> {
    pub fn executor(&self) -> &E {
        &self.0.executor.0
    }
}

/// A value with separate cache lines. The alignment is two lines, because the prefetcher fetches pairs of adjacent lines.
#[derive(Default)]
#[repr(align(128))]
struct Separate<T>(T);

struct Inner<E> {
    state: Separate<Mutex<State>>,
    /// Signals the completion of each command to threads of the program.
    completed: Condvar,
    /// Wakes up the thread of each queue.
    wake: [Condvar; MAX_QUEUES],
    /// Counts submitted and completed commands, so that waiting threads can poll without the lock.
    changes: AtomicU64,
    /// Number of queued or executing commands without a short expected time.
    long_commands: AtomicU64,
    /// For each queue, whether its next command possibly waits for an event. Each launch on a calling thread reads this line and the
    /// next one, which a submission does not write.
    may_wait: Separate<[AtomicBool; MAX_QUEUES]>,
    /// For each queue, the tick of its last completed command. Only the holder of the lock stores.
    completed_ticks: Separate<[AtomicU64; MAX_QUEUES]>,
    executor: Separate<E>,
}

#[derive(Default)]
struct State {
    queues: [QueueState; MAX_QUEUES],
    /// Number of queued and executing commands.
    pending: usize,
    /// Number of threads of the program that wait for `completed`.
    waiting: usize,
    #[allow(clippy::vec_box, reason = "the boxes move between the lists of the queues")]
    unused_commands: Vec<Box<Command>>,
    /// Number of queues that have a thread. The other queues never had a command.
    threads: usize,
    closed: bool,
}

#[derive(Default)]
struct QueueState {
    commands: VecDeque<Box<Command>>,
    submitted: u64,
    /// The ticks that must precede the next command of the queue.
    events: Ticks,
    has_thread: bool,
    sleeps: bool,
    failure: Option<RuntimeError>,
    /// The kernel of the last launch, and the start of the launch while it executes.
    kernel: Option<Kernel>,
    running: Option<Instant>,
}

impl State {
    fn submitted(&self) -> Ticks {
        let mut ticks = Ticks::default();
        Queue::all().for_each(|queue| ticks.set(queue, self.queues[queue.index()].submitted));
        ticks
    }

    /// The condition that all commands of a queue have completed, together with the events that its next
    /// command waits for.
    fn end(&self, queue: Queue) -> Ticks {
        let queue_state = &self.queues[queue.index()];
        let mut ticks = queue_state.events;
        ticks.join(&Ticks::at(queue, queue_state.submitted));
        ticks
    }
}

impl<E> Inner<E> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all commands up to the ticks in `condition` have completed.
    #[inline]
    fn has_completed(&self, condition: &Ticks) -> bool {
        Queue::all().all(|queue| self.completed_ticks.0[queue.index()].load(Ordering::Acquire) >= condition.of(queue))
    }

    /// Waits until all commands up to the ticks in `condition` have completed.
    fn wait_for(&self, condition: &Ticks) -> MutexGuard<'_, State> {
        let mut polls = 0;
        let mut state = self.lock();
        while !self.has_completed(condition) {
            if polls < POLLS {
                drop(state);
                self.poll_once(&mut polls);
                state = self.lock();
                continue;
            }
            state.waiting += 1;
            state = self.completed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state
    }

    /// Polls until a command is submitted or completed, or until the maximum number of polls is reached.
    fn poll_once(&self, polls: &mut u32) {
        let before = self.changes.load(Ordering::Relaxed);
        while *polls < POLLS && self.changes.load(Ordering::Relaxed) == before {
            thread::yield_now();
            *polls += 1;
        }
    }

    fn wake_sleeping(&self, state: &State) {
        for (queue_state, wake) in state.queues.iter().zip(&self.wake) {
            if queue_state.sleeps && !queue_state.commands.is_empty() {
                wake.notify_one();
            }
        }
    }
}

/// Adds to a number, modulo 2^64, which only the holder of the lock of [`State`] changes. An atomic addition is therefore not
/// necessary.
fn add(number: &AtomicU64, more: u64) {
    number.store(number.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
}

impl<E: Execute> Queues<E> {
    pub fn new(executor: E) -> Self {
        Queues(Arc::new(Inner {
            state: Separate::default(),
            completed: Condvar::new(),
            completed_ticks: Default::default(),
            wake: Default::default(),
            changes: AtomicU64::new(0),
            long_commands: AtomicU64::new(0),
            may_wait: Default::default(),
            executor: Separate(executor),
        }))
    }

    pub fn executor(&self) -> &E {
        &self.0.executor.0
    }

    /// A shared reference to the executor, for a command that can outlive the device.
    pub fn shared(&self) -> Shared<E> {
        Shared(self.0.clone())
    }

    /// The executor, which can be configured before the first command.
    pub fn executor_mut(&mut self) -> Option<&mut E> {
        Arc::get_mut(&mut self.0).map(|inner| &mut inner.executor.0)
    }

    /// For each queue, the tick of its last completed command.
    #[inline]
    pub fn completed_ticks(&self) -> &[AtomicU64; MAX_QUEUES] {
        &self.0.completed_ticks.0
    }

    /// Queues a command that `fill` describes, and returns its tick. Waits while the queues have the maximum number of
    /// commands.
    ///
    /// # Errors
    /// `fill` returns false, because a buffer belongs to another device. The operating system refuses to start a thread for the queue.
    #[inline]
    pub fn submit(&self, queue: Queue, fill: impl FnOnce(&mut Command) -> bool) -> Result<u64, RuntimeError> {
        // A destructor of another thread-local value can submit a command after the end of `UNUSED`.
        let mut command = UNUSED.try_with(Cell::take).ok().flatten().unwrap_or_else(Command::unused);
        if !fill(&mut command) {
            return Err(of_another_device());
        }
        self.submit_filled(queue, command)
    }

    fn submit_filled(&self, queue: Queue, mut command: Box<Command>) -> Result<u64, RuntimeError> {
        let mut state = self.0.lock();
        if !state.queues[queue.index()].has_thread {
            self.start_thread(queue, &mut state)?;
        }
        if state.pending >= DEPTH {
            state = self.wait_for_space(state);
        }
        let State { queues, unused_commands, pending, threads, .. } = &mut *state;
        let queue_state = &mut queues[queue.index()];
        let tick = queue_state.submitted + 1;
        // Commands of one queue are already in order, so no condition is necessary for the command's own queue.
        if *threads > 1 {
            let mut condition = queue_state.events;
            command.for_each_buffer(|used| condition.join(&used.allocation().tracking.before(used.writes())));
            condition.set(queue, 0);
            command.set_condition(condition);
        }
        command.for_each_buffer(|used| used.allocation().tracking.begin(queue, tick, used.writes()));
        if !command.is_short {
            add(&self.0.long_commands, 1);
        }
        *pending += 1;
        queue_state.submitted = tick;
        queue_state.commands.push_back(command);
        let sleeps = queue_state.sleeps;
        // The lines of the next two commands arrive while this thread returns and describes its next launch.
        let next = unused_commands.pop();
        next.iter().chain(unused_commands.last()).for_each(|later| later.prefetch());
        add(&self.0.changes, 1);
        drop(state);
        let _ = UNUSED.try_with(|unused| unused.set(next));
        if sleeps {
            self.0.wake[queue.index()].notify_one();
        }
        Ok(tick)
    }

    #[cold]
    fn wait_for_space<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        // A command that submits commands does not wait, because a queue cannot wait for itself.
        while state.pending >= DEPTH && !EXECUTES.with(Cell::get) {
            state.waiting += 1;
            state = self.0.completed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state
    }

    /// Starts the thread of a queue. The first call also allocates the memory of the commands.
    #[cold]
    fn start_thread(&self, queue: Queue, state: &mut State) -> Result<(), RuntimeError> {
        let inner = self.0.clone();
        let thread = thread::Builder::new().name(format!("cube-cpu-queue-{}", queue.index()));
        let started = thread.stack_size(STACK_BYTES).spawn(move || inner.serve(queue));
        started.map_err(|error| {
            RuntimeError::device_limit(format!(
                "the system cannot start a thread for a queue ({error}); end some threads"
            ))
        })?;
        state.threads += 1;
        if state.threads == 1 {
            state.unused_commands.extend((0..DEPTH).map(|_| Command::unused()));
        }
        let queue_state = &mut state.queues[queue.index()];
        queue_state.has_thread = true;
        queue_state.commands.reserve(DEPTH);
        Ok(())
    }

    /// Whether the next command of the queue can start immediately, because the command waits for no event.
    pub fn is_free(&self, queue: Queue) -> bool {
        let may_wait = &self.0.may_wait.0[queue.index()];
        if !may_wait.load(Ordering::Acquire) {
            return true;
        }
        let state = self.0.lock();
        let free = self.0.has_completed(&state.queues[queue.index()].events);
        if free {
            may_wait.store(false, Ordering::Release);
        }
        free
    }

    /// Polls for a short time until `ready` returns true, as long as all queued commands are short. Returns the last result of
    /// `ready`.
    pub fn poll_short(&self, ready: impl Fn() -> bool) -> bool {
        let mut polls = 0;
        loop {
            if ready() {
                return true;
            }
            if polls >= POLLS || self.0.long_commands.load(Ordering::Relaxed) != 0 {
                return false;
            }
            self.0.poll_once(&mut polls);
        }
    }

    /// Waits until all commands up to the ticks in `condition` have completed.
    pub fn wait_for(&self, condition: &Ticks) {
        drop(self.0.wait_for(condition));
    }

    /// Waits until all submitted commands have completed. This method reports no failures; [`Queues::sync`]
    /// reports them.
    pub fn wait_for_all(&self) {
        let submitted = self.0.lock().submitted();
        self.wait_for(&submitted);
    }

    /// The events that precede the next command of a queue.
    pub fn events(&self, queue: Queue) -> Ticks {
        self.0.lock().queues[queue.index()].events
    }

    /// The point at the current end of a queue.
    pub fn end(&self, queue: Queue) -> Point<E> {
        let ticks = self.0.lock().end(queue);
        Point { inner: self.0.clone(), queue, ticks }
    }

    /// The point at the current end of a queue, after the commands up to the ticks in `condition`.
    pub fn end_after(&self, queue: Queue, condition: &Ticks) -> Point<E> {
        let mut point = self.end(queue);
        point.ticks.join(condition);
        point
    }

    /// Makes later commands of `queue` wait for `point`. If the point belongs to another device's queues, the method
    /// has no effect and returns `false`.
    pub fn add_wait(&self, queue: Queue, point: &Point<E>) -> bool {
        if !Arc::ptr_eq(&self.0, &point.inner) {
            return false;
        }
        self.0.lock().queues[queue.index()].events.join(&point.ticks);
        self.0.may_wait.0[queue.index()].store(true, Ordering::Release);
        true
    }

    /// Waits for all commands of a queue, or of the device, and returns the first unreported failure.
    pub fn sync(&self, queue: Option<Queue>) -> Result<(), RuntimeError> {
        let state = self.0.lock();
        let condition = queue.map_or_else(|| state.submitted(), |queue| state.end(queue));
        drop(state);
        let mut state = self.0.wait_for(&condition);
        let mut queues =
            state.queues.iter_mut().enumerate().filter(|(n, _)| queue.is_none_or(|queue| queue.index() == *n));
        queues.find_map(|(_, queue_state)| queue_state.failure.take()).map_or(Ok(()), Err)
    }

    /// The running launch that started first.
    pub fn running(&self) -> Option<(Kernel, Instant)> {
        let state = self.0.lock();
        let running = state.queues.iter().filter_map(|queue| Some((queue.kernel.as_ref()?, queue.running?)));
        running.min_by_key(|(_, start)| *start).map(|(kernel, start)| (kernel.clone(), start))
    }
}

impl<E: Execute> Drop for Queues<E> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.wake.iter().for_each(Condvar::notify_one);
    }
}

impl<E: Execute> Inner<E> {
    /// The main function of a queue's thread.
    fn serve(&self, queue: Queue) {
        EXECUTES.with(|executes| executes.set(true));
        while let Some(mut command) = self.next(queue) {
            let inputs = command.inputs();
            // The command that failed to write an input has already recorded its failure.
            let is_new = inputs.is_ok();
            let outcome = self.execute(&mut command, inputs);
            let is_short = command.is_short;
            command.finish(&outcome);
            let mut state = self.lock();
            if !is_short {
                add(&self.long_commands, u64::MAX);
            }
            let completed = &self.completed_ticks.0[queue.index()];
            completed.store(completed.load(Ordering::Relaxed) + 1, Ordering::Release);
            state.pending -= 1;
            let queue_state = &mut state.queues[queue.index()];
            queue_state.running = None;
            if let Err(error) = outcome
                && is_new
            {
                queue_state.failure.get_or_insert(error);
            }
            if state.unused_commands.len() < DEPTH {
                state.unused_commands.push(command);
            }
            add(&self.changes, 1);
            self.wake_sleeping(&state);
            if state.waiting > 0 {
                self.completed.notify_all();
            }
        }
    }

    /// Waits for the condition of the first command of a queue, and returns the command. `None` after the
    /// device has been dropped.
    fn next(&self, queue: Queue) -> Option<Box<Command>> {
        let mut polls = 0;
        let mut state = self.lock();
        loop {
            let State { queues, closed, .. } = &mut *state;
            let queue_state = &mut queues[queue.index()];
            match queue_state.commands.front() {
                Some(command) if command.condition().is_none_or(|condition| self.has_completed(condition)) => {
                    let command = queue_state.commands.pop_front();
                    if let Some(kernel) = command.as_ref().and_then(|command| command.kernel()) {
                        if !queue_state.kernel.as_ref().is_some_and(|last| last.is(kernel)) {
                            queue_state.kernel = Some(kernel.clone());
                        }
                        queue_state.running = Some(Instant::now());
                    }
                    return command;
                }
                None if *closed => return None,
                _ if polls < POLLS => {
                    drop(state);
                    self.poll_once(&mut polls);
                    state = self.lock();
                }
                _ => {
                    queue_state.sleeps = true;
                    state = self.wake[queue.index()].wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.queues[queue.index()].sleeps = false;
                    polls = 0;
                }
            }
        }
    }

    fn execute(&self, command: &mut Command, inputs: Result<(), RuntimeError>) -> Result<(), RuntimeError> {
        // The queue must continue after a panic, so the panic is caught here.
        let outcome = catch_unwind(AssertUnwindSafe(|| match (command.take_call(), command.kernel()) {
            (Some(call), _) => call(inputs),
            (None, Some(kernel)) => {
                let launched = inputs.and_then(|()| self.executor.0.launch(kernel, command));
                launched.map_err(|error| error.in_kernel(&kernel.artifact().kernel))
            }
            (None, None) => Ok(()),
        }));
        outcome.unwrap_or_else(|_| {
            Err(RuntimeError::new(ErrorKind::Driver, "a command of the CPU panicked; report this with the kernel"))
        })
    }
}

/// A point in a queue.
pub(crate) struct Point<E> {
    inner: Arc<Inner<E>>,
    queue: Queue,
    /// The commands that precede the point.
    ticks: Ticks,
}

impl<E: Execute> Point<E> {
    /// Waits for the commands before the point. This wait does not report their failures.
    pub fn reach(&self) {
        drop(self.inner.wait_for(&self.ticks));
    }
}

impl<E: Execute> Completion for Point<E> {
    fn is_complete(&self) -> bool {
        self.inner.has_completed(&self.ticks)
    }

    fn wait(&self) -> Result<(), RuntimeError> {
        let mut state = self.inner.wait_for(&self.ticks);
        state.queues[self.queue.index()].failure.take().map_or(Ok(()), Err)
    }
}
