//! Host memory for copies, and the results of reads.
use crate::error::{ErrorKind, RuntimeError};
use std::any::Any;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Host memory that a device can copy from and to. The runtime of a GPU has its own type of page-locked host
/// memory.
pub trait HostMemory: Any + Send + Sync {
    /// The bytes of the memory.
    fn bytes(&self) -> &[u8];
    /// The bytes of the memory, for writing.
    fn bytes_mut(&mut self) -> &mut [u8];
}

impl HostMemory for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
    fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}

/// Owned host memory: from `Device::host_alloc`, from a read, or from a vector.
pub struct HostBytes(Box<dyn HostMemory>);

impl HostBytes {
    /// Wraps a device's host memory; devices call this function.
    pub fn new(memory: impl HostMemory) -> HostBytes {
        HostBytes(Box::new(memory))
    }

    /// The memory as the device's own type; `None` if the memory has another type.
    pub fn memory<T: HostMemory>(&self) -> Option<&T> {
        let any: &dyn Any = &*self.0;
        any.downcast_ref()
    }

    /// Converts the memory to a vector. If the memory is a vector already, the bytes are not copied.
    pub fn into_vec(self) -> Vec<u8> {
        if self.memory::<Vec<u8>>().is_none() {
            return self.to_vec();
        }
        let any: Box<dyn Any> = self.0;
        any.downcast().map_or_else(|_| Vec::new(), |vector| *vector)
    }
}

impl From<Vec<u8>> for HostBytes {
    fn from(bytes: Vec<u8>) -> HostBytes {
        HostBytes::new(bytes)
    }
}

impl Deref for HostBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.0.bytes()
    }
}

impl DerefMut for HostBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.0.bytes_mut()
    }
}

impl std::fmt::Debug for HostBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HostBytes({} bytes)", self.len())
    }
}

/// The state of a result that becomes available later.
struct Slot<T> {
    state: Mutex<State<T>>,
    done: Condvar,
}

struct State<T> {
    result: Option<Result<T, RuntimeError>>,
    waker: Option<Waker>,
}

impl<T> Slot<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn complete(&self, result: Result<T, RuntimeError>) {
        let mut state = self.lock();
        state.result = Some(result);
        let waker = state.waker.take();
        drop(state);
        self.done.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The device's end of a [`Pending`] result. If the device drops a promise without a result, the receiver
/// gets an error.
pub struct Promise<T>(Option<Arc<Slot<T>>>);

/// A result that a device provides later. The type is a future, which does not block; the method
/// [`Pending::wait`] blocks.
#[must_use = "the result of a queued command"]
pub struct Pending<T>(Arc<Slot<T>>);

/// The bytes of a queued read.
pub type Reading = Pending<HostBytes>;

/// Creates the sending part and the receiving part of a result that becomes available later.
pub fn promise<T>() -> (Promise<T>, Pending<T>) {
    let slot = Arc::new(Slot { state: Mutex::new(State { result: None, waker: None }), done: Condvar::new() });
    (Promise(Some(slot.clone())), Pending(slot))
}

impl<T> Promise<T> {
    /// Passes the result to the receiver.
    pub fn complete(mut self, result: Result<T, RuntimeError>) {
        if let Some(slot) = self.0.take() {
            slot.complete(result);
        }
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        if let Some(slot) = self.0.take() {
            let message =
                "the device was closed before the queued command ran; keep the client until the result is there";
            slot.complete(Err(RuntimeError::new(ErrorKind::Driver, message)));
        }
    }
}

impl<T> Pending<T> {
    /// A pending result that is available already.
    pub fn ready(result: Result<T, RuntimeError>) -> Pending<T> {
        let (promise, pending) = promise();
        promise.complete(result);
        pending
    }

    /// Whether the result is available.
    pub fn is_complete(&self) -> bool {
        self.0.lock().result.is_some()
    }

    /// Blocks until the result is available.
    ///
    /// # Errors
    /// A failure of the command that produces the result, or of a command on which it depends.
    pub fn wait(self) -> Result<T, RuntimeError> {
        let mut state = self.0.lock();
        loop {
            if let Some(result) = state.result.take() {
                return result;
            }
            state = self.0.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, RuntimeError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.0.lock();
        match state.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Wake;

    #[derive(Default)]
    struct Woken(AtomicU32);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_future_is_woken_once_with_its_result() {
        let (promise, mut pending) = promise();
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let mut context = Context::from_waker(&waker);
        assert!(Pin::new(&mut pending).poll(&mut context).is_pending() && !pending.is_complete());
        promise.complete(Ok(7));
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        assert_eq!(Pin::new(&mut pending).poll(&mut context), Poll::Ready(Ok(7)));
    }

    #[test]
    fn a_device_that_ends_is_an_error_and_no_hang() {
        let (promise, pending) = promise::<u32>();
        let thread = std::thread::spawn(move || pending.wait());
        drop(promise);
        assert!(thread.join().unwrap().unwrap_err().message.contains("closed before the queued command ran"));
    }

    #[test]
    fn host_bytes_of_a_vector_are_not_copied() {
        let vector = vec![1, 2, 3];
        let address = vector.as_ptr();
        let mut bytes = HostBytes::from(vector);
        bytes[1] = 9;
        let back = bytes.into_vec();
        assert_eq!((&back[..], back.as_ptr()), (&[1, 9, 3][..], address));
    }
}
