//! Futures that a client returns, and a minimal executor for these futures.
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// A boxed future that can move between threads.
pub type DynFut<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Runs a future to completion on a new detached thread.
pub fn spawn_detached_fut(future: impl Future<Output = ()> + Send + 'static) {
    std::thread::spawn(|| block_on(future));
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks the thread until the future is ready.
pub fn block_on<O>(future: impl Future<Output = O>) -> O {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(result) => return result,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Blocks the thread until the future is ready, like [`block_on`], and returns its value.
pub fn read_sync<O>(future: impl Future<Output = O>) -> O {
    block_on(future)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_on_waits_for_the_waker() {
        let (send, receive) = std::sync::mpsc::channel::<Waker>();
        let mut polled = false;
        let late = std::future::poll_fn(move |context| {
            if polled {
                return Poll::Ready(7);
            }
            polled = true;
            send.send(context.waker().clone()).expect("the other thread receives");
            Poll::Pending
        });
        let waking = std::thread::spawn(move || receive.recv().expect("the future is polled").wake());
        assert_eq!(block_on(late), 7);
        waking.join().expect("the thread only wakes");
    }
}
