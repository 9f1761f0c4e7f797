//! Waiting for what a client promises.
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// A future of any kind.
pub type DynFut<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Runs a future in a thread of its own, which nobody waits for.
pub fn spawn_detached_fut(future: impl Future<Output = ()> + Send + 'static) {
    std::thread::spawn(|| block_on(future));
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The result of a future; the thread waits for it.
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

/// The result of a future that is ready.
pub fn read_sync<O>(future: impl Future<Output = O>) -> O {
    block_on(future)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn futures_are_waited_for() {
        let (send, receive) = std::sync::mpsc::channel::<Waker>();
        let mut asked = false;
        let late = std::future::poll_fn(move |context| {
            if asked {
                return Poll::Ready(7);
            }
            asked = true;
            send.send(context.waker().clone()).expect("the other thread waits for it");
            Poll::Pending
        });
        let waking = std::thread::spawn(move || receive.recv().expect("the future is asked once").wake());
        assert_eq!(block_on(late), 7);
        waking.join().expect("it only wakes");
    }
}
