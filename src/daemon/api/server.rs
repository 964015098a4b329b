//! The sockets. Connections are accepted up to a bound, and slow ones are closed. When the daemon ends, requests at
//! work are answered first.

use super::app::Api;
use super::options::ServerOptions;
use crate::daemon::service::Service;
use crate::daemon::tokens::TokenError;
use crate::notation::format::GridReadError;
use axum::body::Body;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep, timeout};

/// Most bytes and most header lines of a request's head.
const HEAD: usize = 32 * 1024;
const HEADERS: usize = 64;

/// Time to wait after the system refused a connection, for example because it has no file descriptors left.
const PAUSE: Duration = Duration::from_millis(50);

/// Time that requests at work have when the daemon ends.
const LAST_ANSWERS: Duration = Duration::from_secs(10);

/// Why the API cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Other machines can reach the address, and there is no token.
    #[error(
        "{0} can be reached from other machines, and there is no token yet: make one with `morpion token create`, or \
         listen on 127.0.0.1"
    )]
    NeedsToken(SocketAddr),
    /// The tokens cannot be read.
    #[error(transparent)]
    Tokens(#[from] TokenError),
    /// The socket does not work.
    #[error("the listening socket: {0}")]
    Socket(#[from] io::Error),
    /// The known records are damaged.
    #[error("the known records: {0}")]
    Records(#[from] GridReadError),
}

/// Whether only this machine can reach the address.
fn is_own(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

/// Checks that a daemon with these options may listen on the address. [`serve`] checks it, too; a caller can check it
/// before it starts anything.
///
/// # Errors
/// If the address is open to other machines and there is no token, or the tokens cannot be read.
pub fn admit(address: SocketAddr, options: &ServerOptions) -> Result<(), ServeError> {
    if is_own(address) {
        return Ok(());
    }
    let store = options.tokens.as_ref().ok_or(ServeError::NeedsToken(address))?;
    if store.tokens()?.is_empty() { Err(ServeError::NeedsToken(address)) } else { Ok(()) }
}

/// Answers requests until `shutdown` is ready, and then those that are at work.
///
/// On a loopback address no token is needed, and the tokens of the options are ignored. Any other address is refused
/// if there is no token.
///
/// # Errors
/// If the address is open to other machines and there is no token, or the socket fails.
pub async fn serve(
    service: Arc<dyn Service>,
    listener: TcpListener,
    mut options: ServerOptions,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), ServeError> {
    let address = listener.local_addr()?;
    admit(address, &options)?;
    if is_own(address) {
        options.tokens = None;
    }
    let limits = options.limits;
    let log = Arc::clone(&options.log);
    let (close, closing) = watch::channel(false);
    let api = Api::new(service, options, closing.clone())?;
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = async {
            // Further connections wait in the system's queue.
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            (place, accepted) = accepted => match accepted {
                Ok((stream, _)) => {
                    let connection = HttpConnection { api: api.clone(), closing: closing.clone() };
                    connections.spawn(async move {
                        connection.answer(stream).await;
                        drop(place);
                    });
                }
                Err(error) => {
                    if !broken_off(&error) {
                        log(&format!("a connection was not accepted: {error}"));
                        sleep(PAUSE).await;
                    }
                }
            },
        }
    }
    drop(listener);
    let _ = close.send(true);
    let _ = timeout(LAST_ANSWERS, async { while connections.join_next().await.is_some() {} }).await;
    Ok(())
}

/// Whether the client closed the connection.
fn broken_off(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

struct HttpConnection {
    api: Api,
    closing: watch::Receiver<bool>,
}

impl HttpConnection {
    /// Answers the requests of one connection, one after the other.
    async fn answer(mut self, stream: TcpStream) {
        let limits = self.api.shared.options.limits;
        let _ = stream.set_nodelay(true);
        let io = TokioIo::new(Patient::new(stream, limits.writing));
        let api = self.api.clone();
        let service = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let api = api.clone();
            async move { Ok::<_, Infallible>(api.answer(request.map(Body::new)).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.reading)
            .max_buf_size(HEAD)
            .max_headers(HEADERS)
            .serve_connection(io, service);
        let mut connection = std::pin::pin!(connection);
        // An error of the connection concerns only its client.
        tokio::select! {
            _ = &mut connection => return,
            _ = self.closing.changed() => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

/// A stream that fails when the other end reads nothing for too long.
struct Patient {
    stream: TcpStream,
    patience: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream, patience: Duration) -> Patient {
        Patient { stream, patience, waiting: None }
    }

    /// The result of a write, or a failure if it has waited too long.
    fn bounded<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let end = Instant::now() + self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
        waiting.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bounded(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.bounded(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
