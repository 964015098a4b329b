//! Serves the API on threads of its own. tokio does input and output here; the searches do not know of it.

use super::api::{ServeError, ServerOptions, serve};
use super::service::Service;
use crate::core::panic::catch_quietly;
use crossbeam_channel::{Receiver, bounded};
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Number of threads for requests; one more accepts connections. With several, tokio waits for ever for the first of
/// them if the system refuses a later one.
const THREADS: usize = 1;

/// An API that is being served. Dropping it waits until the requests at work are answered.
pub struct Serving {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
    /// Receives how it ended, if it ended by itself.
    ended: Receiver<Result<(), ServeError>>,
}

impl Serving {
    /// Starts to serve.
    ///
    /// # Errors
    /// If the system refuses threads.
    pub fn start(service: Arc<dyn Service>, listener: TcpListener, options: ServerOptions) -> io::Result<Serving> {
        listener.set_nonblocking(true)?;
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("http").enable_all();
        // It panics if it gets no threads.
        let runtime = catch_quietly(|| builder.build()).map_err(io::Error::other)??;
        let (stop, stopped) = oneshot::channel();
        let (sender, ended) = bounded(1);
        let thread = std::thread::Builder::new().name("api".to_owned()).spawn(move || {
            let served = runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                serve(service, listener, options, async { drop(stopped.await) }).await
            });
            let _ = sender.send(served);
        })?;
        Ok(Serving { stop: Some(stop), thread: Some(thread), ended })
    }

    /// Receives how it ended, if it ended by itself.
    pub fn ended(&self) -> &Receiver<Result<(), ServeError>> {
        &self.ended
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
