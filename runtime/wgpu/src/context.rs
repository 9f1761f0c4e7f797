//! An open wgpu device with its queue, and methods that return errors as values.
//!
//! wgpu reports some errors through a callback, and panics for other errors. [`Context::checked`] returns callback
//! errors and panics as errors of the call.
use cube_runtime::{ErrorKind, RuntimeError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Poll, Waker};

/// An open device of wgpu.
pub(crate) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub limits: wgpu::Limits,
    /// Whether each buffer of the pool has an address.
    pub addresses: bool,
    /// The reason for the loss of the device, if the device is lost.
    lost: Arc<OnceLock<String>>,
    /// An error that a browser reported after the failed call had returned. The next call of the device returns this
    /// error.
    deferred_error: Arc<Mutex<Option<wgpu::Error>>>,
}

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Polls a future of wgpu until it is complete. Outside of a browser, wgpu's futures complete at the first poll, or
/// make progress without a waker.
///
/// # Errors
/// A browser completes a future only after the program has returned to the browser, so a pending future is an error
/// there.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> Result<T, RuntimeError> {
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => return Ok(value),
            Poll::Pending if IN_BROWSER => return Err(cannot_wait()),
            Poll::Pending => std::thread::yield_now(),
        }
    }
}

/// Whether the program runs in a browser.
pub(crate) const IN_BROWSER: bool = cfg!(target_arch = "wasm32");

/// The error for a call that waits for a device in a browser.
pub(crate) fn cannot_wait() -> RuntimeError {
    RuntimeError::user(
        "a program in a browser cannot wait for a device; open the device with wgpu and share it, and await read_async",
    )
}

/// Runs a call of wgpu; a panic becomes an error.
pub(crate) fn catch_panic<T>(call: impl FnOnce() -> Result<T, RuntimeError>) -> Result<T, RuntimeError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
        Err(RuntimeError::new(ErrorKind::Driver, format!("wgpu panicked ({text}); report this with the kernel")))
    })
}

/// The error for an adapter that cannot create a device.
pub(crate) fn refused(error: &wgpu::RequestDeviceError) -> RuntimeError {
    RuntimeError::new(
        ErrorKind::NoDevice,
        format!("the adapter cannot create a device ({error}); choose another adapter"),
    )
}

impl Context {
    /// Creates a context for an open device. With `watch`, a callback reports the device's loss to the context.
    /// If the program shares the device with the runtime, the device keeps the program's own callback. With
    /// `largest_addressed`, each buffer of the pool has an address, and at most this number of bytes.
    pub fn new(device: wgpu::Device, queue: wgpu::Queue, watch: bool, largest_addressed: Option<u64>) -> Self {
        let lost: Arc<OnceLock<String>> = Arc::default();
        if watch {
            let note = Arc::clone(&lost);
            device.set_device_lost_callback(move |_, why| drop(note.set(why)));
        }
        let mut limits = device.limits();
        limits.max_buffer_size = largest_addressed.unwrap_or(limits.max_buffer_size);
        let addresses = largest_addressed.is_some();
        Context { device, queue, limits, addresses, lost, deferred_error: Arc::default() }
    }

    /// The reason for the loss of the device, if the device is lost.
    pub fn lost_reason(&self) -> Option<&str> {
        self.lost.get().map(String::as_str)
    }

    /// The error for the use of an object of the lost device.
    pub fn lost_error(&self) -> RuntimeError {
        let why = self.lost_reason().unwrap_or_default();
        RuntimeError::new(
            ErrorKind::Fault,
            format!("the device is lost ({why}), and its memory with it; allocate the buffers again"),
        )
    }

    /// Runs `call`, which calls functions of wgpu. The result is an error if a function of wgpu panics, or if
    /// wgpu reports an error. If wgpu reports several errors, the method returns the first one. In a browser, the next
    /// call returns an error of this call.
    ///
    /// # Errors
    /// The errors of `call`; [`ErrorKind::Fault`] for a lost device, [`ErrorKind::DeviceLimit`] for a lack of memory,
    /// [`ErrorKind::Driver`] for calls that wgpu refuses.
    pub fn checked<T>(&self, call: impl FnOnce() -> Result<T, RuntimeError>) -> Result<T, RuntimeError> {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        let scopes = [Validation, OutOfMemory, Internal].map(|filter| self.device.push_error_scope(filter));
        let result = catch_panic(call);
        let mut first = lock(&self.deferred_error).take();
        for scope in scopes.into_iter().rev() {
            first = self.outcome(scope.pop()).or(first);
        }
        if self.lost_reason().is_some() {
            return Err(self.lost_error());
        }
        match first {
            Some(error) => Err(self.refusal(error)),
            None => result,
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn outcome(&self, scope: impl Future<Output = Option<wgpu::Error>>) -> Option<wgpu::Error> {
        now(scope).ok().flatten()
    }

    /// In a browser, the error of an error scope is available only later.
    #[cfg(target_arch = "wasm32")]
    fn outcome(&self, scope: impl Future<Output = Option<wgpu::Error>> + 'static) -> Option<wgpu::Error> {
        let deferred_error = Arc::clone(&self.deferred_error);
        wasm_bindgen_futures::spawn_local(async move {
            if let Some(error) = scope.await {
                lock(&deferred_error).get_or_insert(error);
            }
        });
        None
    }

    fn refusal(&self, error: wgpu::Error) -> RuntimeError {
        match error {
            wgpu::Error::OutOfMemory { .. } => {
                RuntimeError::device_limit("the device has no memory for this; free some buffers or use smaller ones")
            }
            wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
                // For a shared device, the program's own callback reports the loss. The runtime therefore recognises
                // the loss by the message of the error.
                if description.contains("device is lost") || description.contains("Device is lost") {
                    let _ = self.lost.set(first_line(&description).into());
                    return self.lost_error();
                }
                RuntimeError::new(ErrorKind::Driver, format!("wgpu refuses it: {}", description.trim_end()))
            }
        }
    }

    /// Waits for a submission, or for all submissions if `index` is `None`.
    ///
    /// # Errors
    /// The device is lost, or the program runs in a browser.
    pub fn wait(&self, index: Option<wgpu::SubmissionIndex>) -> Result<(), RuntimeError> {
        if IN_BROWSER {
            return Err(cannot_wait());
        }
        let polled = catch_panic(|| {
            let wait = wgpu::PollType::Wait { submission_index: index, timeout: None };
            self.device.poll(wait).map(drop).map_err(|error| {
                RuntimeError::new(ErrorKind::Driver, format!("the device does not complete its work ({error})"))
            })
        });
        match self.lost_reason() {
            Some(_) => Err(self.lost_error()),
            None => polled,
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_text() {
        let error = catch_panic::<()>(|| panic!("no {}", 7)).unwrap_err();
        assert_eq!((error.kind, error.message.contains("(no 7)")), (ErrorKind::Driver, true), "{error}");
    }
}
