//! The sockets. Connections are accepted up to a bound, and slow ones are closed. When the daemon ends, requests at
//! work are answered first.

use super::accepting::Accepting;
use super::app::Api;
use super::connections::{Connection, ConnectionPlace, Connections, origin_of};
use super::options::ServerOptions;
use super::request_log::PeerAddress;
use crate::daemon::service::Service;
use crate::daemon::tokens::TokenError;
use crate::notation::format::GridReadError;
use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
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
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

/// Most bytes and most header lines of a request's head.
const HEAD: usize = 32 * 1024;
const HEADERS: usize = 64;

/// Time between two looks whether a place has become free.
const LOOK: Duration = Duration::from_millis(50);

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
    let (log, proxies) = (Arc::clone(&options.log), options.proxies.clone());
    let (close, closing) = watch::channel(false);
    let api = Api::new(service, options, closing.clone())?;
    let connections = Arc::new(Connections::new(&limits));
    let mut accepting = Accepting::default();
    let mut tasks = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let (next_attempt, over_at) = (accepting.next_attempt(), accepting.over_at());
        let accepted = async {
            if let Some(at) = next_attempt {
                sleep_until(at).await;
            }
            // Further connections wait in the system's queue.
            while !connections.has_room() {
                let _ = timeout(LOOK, connections.closed()).await;
            }
            listener.accept().await
        };
        tokio::select! {
            () = &mut shutdown => break,
            Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
            () = sleep_until(over_at.unwrap_or_else(Instant::now)), if over_at.is_some() => {
                accepting.over(Instant::now()).iter().for_each(|text| log(text));
            }
            accepted = accepted => match accepted {
                Ok((stream, address)) => {
                    accepting.succeeded();
                    // Without a place it is closed.
                    if let Some(place) = connections.admit(origin_of(address.ip(), &proxies)) {
                        let connection = HttpConnection { api: api.clone(), closing: closing.clone() };
                        tasks.spawn(connection.answer(stream, Arc::new(place)));
                    }
                }
                Err(error) if broken_off(&error) => {}
                Err(error) => {
                    accepting.failed(&error, Instant::now()).iter().for_each(|text| log(text));
                    connections.make_room();
                }
            },
        }
    }
    drop(listener);
    let _ = close.send(true);
    let _ = timeout(LAST_ANSWERS, async { while tasks.join_next().await.is_some() {} }).await;
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
    /// Answers the requests of one connection, one after the other, until it ends or has to go.
    async fn answer(mut self, stream: TcpStream, place: Arc<ConnectionPlace>) {
        let limits = self.api.shared.options.limits;
        let _ = stream.set_nodelay(true);
        let client = stream.peer_addr().ok().map(PeerAddress);
        let own = Arc::clone(&place.connection);
        let io = TokioIo::new(Patient::new(stream, limits.writing, Arc::clone(&own)));
        let api = self.api.clone();
        let service = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let (api, place) = (api.clone(), Arc::clone(&place));
            async move {
                // One answer at a time: a client that sends many requests at once keeps nobody waiting.
                tokio::task::yield_now().await;
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(Arc::clone(&place));
                client.map(|client| request.extensions_mut().insert(client));
                let answer = api.answer(request).await;
                Ok::<_, Infallible>(answer.map(|body| AnswerBody { body, place }))
            }
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
            () = own.dropped.notified() => return,
            _ = self.closing.changed() => {}
        }
        connection.as_mut().graceful_shutdown();
        tokio::select! {
            _ = connection => {}
            () = own.dropped.notified() => {}
        }
    }
}

/// The body of an answer. The connection rests when it has been handed over.
struct AnswerBody {
    body: Body,
    place: Arc<ConnectionPlace>,
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.place.connection.rests();
    }
}

/// A stream that fails when the other end reads nothing for too long.
struct Patient {
    stream: TcpStream,
    patience: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
    connection: Arc<Connection>,
}

impl Patient {
    fn new(stream: TcpStream, patience: Duration, connection: Arc<Connection>) -> Patient {
        Patient { stream, patience, waiting: None, connection }
    }

    /// The result of a write, or a failure if it has waited too long.
    fn bounded<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if self.waiting.take().is_some() {
                self.connection.blocked(false);
            }
            return written;
        }
        if self.waiting.is_none() {
            self.connection.blocked(true);
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
