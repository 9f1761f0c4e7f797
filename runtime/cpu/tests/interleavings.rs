//! Tests the queues and their bookkeeping under chosen interleavings of threads, with the crate shuttle.
//!
//! The test compiles the source files of the queues with shuttle's locks and threads. Shuttle reports a deadlock if all
//! threads wait. The tests with an inserted fault show that such a fault is found.
#[path = "../src/command.rs"]
#[allow(dead_code, reason = "the model does not launch kernels")]
mod command;
#[path = "../src/queues.rs"]
#[allow(dead_code, reason = "the model does not launch kernels")]
mod queues;
#[allow(dead_code, reason = "the copies use the other methods")]
#[path = "../src/tracking.rs"]
mod tracking;

/// The types of shuttle, instead of the module `sync` of the crate.
mod sync {
    pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
    pub(crate) use shuttle::sync::{Mutex, MutexGuard};
    pub(crate) use shuttle::{thread, thread_local};
    use std::sync::LockResult;
    pub(crate) use std::sync::PoisonError;

    /// Few commands, so that the model reaches the limit.
    pub(crate) const DEPTH: usize = 2;
    pub(crate) const POLLS: u32 = 1;

    /// Whether [`Condvar`] loses its notifications for one thread.
    pub static LOSES_NOTIFICATIONS: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

    /// A condition variable that can have a fault.
    #[derive(Default)]
    pub(crate) struct Condvar(shuttle::sync::Condvar);

    impl Condvar {
        pub fn new() -> Condvar {
            Condvar::default()
        }

        pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
            self.0.wait(guard)
        }

        pub fn notify_one(&self) {
            if !LOSES_NOTIFICATIONS.load(std::sync::atomic::Ordering::Relaxed) {
                self.0.notify_one();
            }
        }

        pub fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}

/// Allocations of the model: a number with the bookkeeping of an allocation.
mod memory {
    use super::tracking::Tracking;
    use cube_runtime::buffer::Storage;
    use cube_runtime::{Buffer, RuntimeError};
    use shuttle::sync::atomic::AtomicU64;

    #[derive(Default)]
    pub(crate) struct Allocation {
        pub tracking: Tracking,
        pub value: AtomicU64,
    }

    impl Storage for Allocation {
        fn size(&self) -> u64 {
            8
        }
    }

    pub(crate) fn own(buffer: &Buffer) -> Result<&Allocation, RuntimeError> {
        buffer.storage().ok_or_else(of_another_device)
    }

    pub(crate) fn buffer_of_8_bytes() -> Buffer {
        Buffer::new(std::sync::Arc::new(Allocation::default()))
    }

    pub(crate) fn of_another_device() -> RuntimeError {
        RuntimeError::user("an allocation of the model")
    }
}

use command::Command;
use cube_runtime::device::Completion;
use cube_runtime::queue::Ticks;
use cube_runtime::{Buffer, Kernel, Queue, RuntimeError};
use memory::{buffer_of_8_bytes as buffer, own};
use queues::{Execute, Queues};
use shuttle::sync::atomic::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// Runs one test at a time, because the fault of the condition variables is a setting of the process.
static ONE_TEST: Mutex<()> = Mutex::new(());

struct NoLaunches;

impl Execute for NoLaunches {
    fn launch(&self, _: &Kernel, _: &Command) -> Result<(), RuntimeError> {
        Ok(())
    }
}

fn value(buffer: &Buffer) -> u64 {
    own(buffer).unwrap().value.load(Ordering::SeqCst)
}

/// Queues a command that changes the number of a buffer in two steps. If two commands overlap, a change is lost.
/// `declared` states whether the command declares its buffer.
fn change(
    queues: &Queues<NoLaunches>,
    queue: Queue,
    target: &Buffer,
    declared: bool,
    by: impl FnOnce(u64) -> u64 + Send + 'static,
) {
    let used = target.clone();
    let call = move |_| {
        let before = value(&used);
        own(&used).unwrap().value.store(by(before), Ordering::SeqCst);
        Ok(())
    };
    let fill = |command: &mut Command| {
        command.set_call(Box::new(call));
        !declared || command.add(target, true)
    };
    queues.submit(queue, fill).unwrap();
}

/// Two threads change one buffer on two queues, and each waits for its queue.
fn two_threads(declared: bool) {
    let (queues, shared) = (Arc::new(Queues::new(NoLaunches)), buffer());
    let threads: Vec<_> = (0..2)
        .map(|number| {
            let (queues, shared) = (queues.clone(), shared.clone());
            shuttle::thread::spawn(move || {
                for _ in 0..2 {
                    change(&queues, Queue::new(number), &shared, declared, |value| value + 1);
                }
                queues.sync(Some(Queue::new(number))).unwrap();
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(value(&shared), 4, "a change is lost");
}

/// A queue waits for an event of another queue, a thread of the program waits for both, and a third queue is ordered by
/// its buffer only.
fn events() {
    let queues = Queues::new(NoLaunches);
    let (one, other) = (buffer(), buffer());
    let [a, b, c] = [0, 1, 2].map(Queue::new);
    change(&queues, a, &one, true, |value| value + 5);
    let point = queues.end(a);
    assert!(queues.add_wait(b, &point));
    // The command does not declare the buffer that it reads: the event orders it.
    let read = one.clone();
    change(&queues, b, &other, true, move |value| value + 10 * self::value(&read));
    change(&queues, c, &one, true, |value| value * 2);
    let end = queues.end(b);
    end.wait().unwrap();
    assert!(end.is_complete() && point.is_complete());
    let seen = value(&other);
    assert!(seen == 50 || seen == 100, "{seen}");
    queues.wait_for(&Ticks::at(c, 1));
    assert_eq!(value(&one), 10);
    assert!(queues.is_free(b));
    queues.sync(None).unwrap();
}

/// A failed command marks its buffer, and exactly one thread receives the failure.
fn failures() {
    let queues = Arc::new(Queues::new(NoLaunches));
    let target = buffer();
    let fill = |command: &mut Command| {
        command.set_call(Box::new(|_| Err(RuntimeError::user("refused by the work"))));
        command.add(&target, true)
    };
    queues.submit(Queue::DEFAULT, fill).unwrap();
    let waiting = || {
        let queues = queues.clone();
        shuttle::thread::spawn(move || queues.sync(None).is_err())
    };
    let threads = [waiting(), waiting()];
    let reported: usize = threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum();
    assert_eq!(reported, 1, "a failure is reported once");
    let tracking = &own(&target).unwrap().tracking;
    assert!(tracking.failure().is_some() && tracking.is_idle(queues.completed_ticks()));
    change(&queues, Queue::new(1), &target, true, |value| value + 1);
    queues.sync(None).unwrap();
    assert!(own(&target).unwrap().tracking.failure().is_none());
}

/// A thread polls for the end of a short command, and then for the end of a command that is not short. After a successful
/// poll, the thread sees the change of the command. A poll always ends.
fn polls() {
    let (queues, shared) = (Queues::new(NoLaunches), buffer());
    for is_short in [true, false] {
        let used = shared.clone();
        let call = move |_| {
            own(&used).unwrap().value.fetch_add(1, Ordering::SeqCst);
            Ok(())
        };
        let before = value(&shared);
        let fill = |command: &mut Command| {
            command.set_call(Box::new(call));
            command.is_short = is_short;
            command.add(&shared, true)
        };
        queues.submit(Queue::DEFAULT, fill).unwrap();
        if queues.poll_short(|| own(&shared).unwrap().tracking.is_idle(queues.completed_ticks())) {
            assert_eq!(value(&shared), before + 1);
        }
        queues.sync(None).unwrap();
        assert_eq!(value(&shared), before + 1);
        // Nothing is queued, so a poll without success reaches its limit.
        assert!(!queues.poll_short(|| false));
    }
}

/// A thread that takes no lock reads the uses of a buffer while another thread submits a write on another queue. An idle buffer has no
/// earlier read that is not completed.
fn idle() {
    let (queues, shared) = (Arc::new(Queues::new(NoLaunches)), buffer());
    let read = shared.clone();
    let fill = |command: &mut Command| {
        command.set_call(Box::new(move |_| {
            own(&read).unwrap().value.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }));
        command.add(&shared, false)
    };
    queues.submit(Queue::DEFAULT, fill).unwrap();
    let writer = {
        let (queues, shared) = (queues.clone(), shared.clone());
        shuttle::thread::spawn(move || change(&queues, Queue::new(1), &shared, true, |value| value + 10))
    };
    let tracking = &own(&shared).unwrap().tracking;
    for _ in 0..3 {
        if tracking.is_idle(queues.completed_ticks()) {
            let value = value(&shared);
            assert!(value % 10 == 1, "the buffer is idle before its read: {value}");
        }
        let condition = tracking.before(true);
        assert!(condition.of(Queue::DEFAULT) == 1, "a write does not wait for the read: {condition:?}");
    }
    writer.join().unwrap();
    queues.sync(None).unwrap();
    assert_eq!(value(&shared), 11);
    assert!(tracking.is_idle(queues.completed_ticks()));
}

fn explore(test: fn(), rounds: usize) {
    shuttle::check_random(test, rounds);
    // Few changes between the threads, at chosen points. This choice finds faults that random choices rarely find.
    shuttle::check_pct(test, rounds, 3);
}

fn is_found(test: fn()) -> bool {
    catch_unwind(AssertUnwindSafe(|| shuttle::check_random(test, 2000))).is_err()
}

fn lock() -> std::sync::MutexGuard<'static, ()> {
    ONE_TEST.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[test]
fn commands_of_two_threads_on_one_buffer_do_not_overlap() {
    let _one = lock();
    explore(|| two_threads(true), 400);
}

#[test]
fn events_order_queues_and_wake_threads() {
    let _one = lock();
    explore(events, 300);
}

#[test]
fn one_of_two_waiting_threads_receives_a_failure() {
    let _one = lock();
    explore(failures, 300);
}

#[test]
fn a_poll_for_short_commands_ends() {
    let _one = lock();
    explore(polls, 300);
}

#[test]
fn an_idle_buffer_has_no_earlier_use() {
    let _one = lock();
    explore(idle, 300);
}

#[test]
fn a_missing_order_is_found() {
    let _one = lock();
    assert!(is_found(|| two_threads(false)));
}

#[test]
fn a_lost_notification_is_found() {
    let _one = lock();
    sync::LOSES_NOTIFICATIONS.store(true, std::sync::atomic::Ordering::Relaxed);
    let found = is_found(|| two_threads(true));
    sync::LOSES_NOTIFICATIONS.store(false, std::sync::atomic::Ordering::Relaxed);
    assert!(found);
}
