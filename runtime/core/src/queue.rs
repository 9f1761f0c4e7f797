//! The queues of a device, and the order of commands that use the same allocations.
//!
//! Each queue counts its commands. *Tick* n of a queue is the completion of its n-th command. A value of type [`Ticks`]
//! contains one tick for each queue. The value represents a condition: in each queue, all commands up to the tick have
//! completed. [`Uses`] belongs to an allocation and gives the condition of the next command that uses the allocation.
//! This module does not call a driver. The runtime of a device waits until the condition of a command holds. If the
//! queues are streams of a driver, the runtime uses [`Order`].

/// Number of distinct queues of a device.
pub const MAX_QUEUES: usize = 8;

/// A queue of a device, identified by a number.
///
/// Queues exist without being created, and are never destroyed. A device with fewer queues than [`MAX_QUEUES`] uses
/// one queue for several queue numbers. The choice of queues does not change results, because commands that use the
/// same allocation are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Queue(u8);

impl Queue {
    /// Queue number 0.
    pub const DEFAULT: Queue = Queue(0);

    /// The queue with the number `number` modulo [`MAX_QUEUES`].
    pub const fn new(number: u32) -> Queue {
        Queue((number % MAX_QUEUES as u32) as u8)
    }

    /// The number of the queue, below [`MAX_QUEUES`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All queues.
    pub fn all() -> impl Iterator<Item = Queue> {
        (0..MAX_QUEUES as u32).map(Queue::new)
    }
}

/// One tick for each queue; tick 0 precedes all commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks([u64; MAX_QUEUES]);

impl Ticks {
    /// The condition that one queue has reached a tick.
    #[inline]
    pub fn at(queue: Queue, tick: u64) -> Ticks {
        let mut ticks = Ticks::default();
        ticks.0[queue.index()] = tick;
        ticks
    }

    /// The tick of a queue.
    #[inline]
    pub fn of(&self, queue: Queue) -> u64 {
        self.0[queue.index()]
    }

    /// Sets the tick of a queue.
    #[inline]
    pub fn set(&mut self, queue: Queue, tick: u64) {
        self.0[queue.index()] = tick;
    }

    /// Replaces the tick of each queue by the larger of the ticks in `self` and `other`.
    #[inline]
    pub fn join(&mut self, other: &Ticks) {
        for (one, other) in self.0.iter_mut().zip(other.0) {
            *one = (*one).max(other);
        }
    }

    /// Whether the tick of each queue in `self` is at least its tick in `other`.
    #[inline]
    pub fn covers(&self, other: &Ticks) -> bool {
        self.0.iter().zip(other.0).all(|(one, other)| *one >= other)
    }
}

/// The last commands that used an allocation, which determine the order of later commands on the allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    written: Ticks,
    /// The commands that read the allocation after its last write.
    read: Ticks,
}

impl Uses {
    /// The uses of memory that is reused. All commands of the earlier owners have completed at `ticks`.
    #[inline]
    pub fn after(ticks: Ticks) -> Uses {
        Uses { written: ticks, read: Ticks::default() }
    }

    /// The condition under which a command that uses the allocation can start. `writes` is true if the
    /// command writes the allocation.
    #[inline]
    pub fn before(&self, writes: bool) -> Ticks {
        let mut ticks = self.written;
        if writes {
            ticks.join(&self.read);
        }
        ticks
    }

    /// Records a command that uses the allocation, which must wait for the condition of [`Uses::before`].
    #[inline]
    pub fn record(&mut self, queue: Queue, tick: u64, writes: bool) {
        if writes {
            *self = Uses::after(Ticks::at(queue, tick));
        } else {
            self.read.set(queue, tick);
        }
    }

    /// The condition that all recorded commands have completed.
    pub fn all(&self) -> Ticks {
        self.before(true)
    }
}

/// The submitted commands of queues that are streams of a driver.
#[derive(Debug, Default)]
pub struct Order {
    submitted: Ticks,
    /// For each queue `q` and each other queue, the tick up to which the other queue's commands precede the
    /// next command of `q`.
    known: [Ticks; MAX_QUEUES],
}

impl Order {
    /// Counts a new command of `queue` and returns its tick.
    pub fn submit(&mut self, queue: Queue) -> u64 {
        let tick = self.submitted.of(queue) + 1;
        self.submitted.set(queue, tick);
        self.known[queue.index()].set(queue, tick);
        tick
    }

    /// Calls `wait` for each queue whose submitted commands must precede the next command of `queue`. A driver can only
    /// make a queue wait for all submitted commands of another queue, not for a single command.
    ///
    /// # Errors
    /// The errors of `wait`.
    pub fn wait<E>(
        &mut self,
        queue: Queue,
        condition: &Ticks,
        mut wait: impl FnMut(Queue) -> Result<(), E>,
    ) -> Result<(), E> {
        for other in Queue::all().filter(|other| *other != queue) {
            if condition.of(other) > self.known[queue.index()].of(other) {
                wait(other)?;
                let known = self.known[other.index()];
                self.known[queue.index()].join(&known);
                self.known[queue.index()].set(other, self.submitted.of(other));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Queue = Queue::DEFAULT;
    const B: Queue = Queue::new(1);
    const C: Queue = Queue::new(2);

    #[test]
    fn a_number_beyond_the_last_queue_begins_again() {
        assert_eq!(Queue::new(MAX_QUEUES as u32 + 1), B);
        assert_eq!(Queue::all().count(), MAX_QUEUES);
    }

    #[test]
    fn reads_wait_for_the_writer_and_a_write_waits_for_all_reads() {
        let mut uses = Uses::default();
        uses.record(A, 1, true);
        assert_eq!(uses.before(false), Ticks::at(A, 1));
        uses.record(B, 1, false);
        uses.record(C, 4, false);
        assert_eq!(uses.before(false), Ticks::at(A, 1), "reads do not wait for reads");
        let all = uses.before(true);
        assert_eq!([A, B, C].map(|queue| all.of(queue)), [1, 1, 4]);
        uses.record(B, 2, true);
        assert_eq!(uses.all(), Ticks::at(B, 2));
        assert!(all.covers(&Ticks::at(C, 4)) && !all.covers(&Ticks::at(B, 2)));
    }

    #[test]
    fn a_queue_waits_once_for_commands_that_it_knows_of() {
        let mut order = Order::default();
        let waits = |order: &mut Order, queue, condition| {
            let mut queues = Vec::new();
            let wait = |other| {
                queues.push(other);
                Ok::<(), ()>(())
            };
            order.wait(queue, &condition, wait).unwrap();
            queues
        };
        assert_eq!((order.submit(A), order.submit(A), order.submit(B)), (1, 2, 1));
        assert_eq!(waits(&mut order, B, Ticks::at(A, 1)), [A]);
        // The wait covers all commands of the other queue that were submitted before the wait.
        assert_eq!(waits(&mut order, B, Ticks::at(A, 2)), []);
        order.submit(B);
        // The commands that B waited for also precede B's commands.
        assert_eq!(waits(&mut order, C, Ticks::at(B, 2)), [B]);
        assert_eq!(waits(&mut order, C, Ticks::at(A, 2)), []);
        assert_eq!((order.submit(A), waits(&mut order, C, Ticks::at(A, 3))), (3, vec![A]));
        assert_eq!(waits(&mut order, A, Ticks::at(A, 3)), [], "a queue is in order by itself");
    }
}
