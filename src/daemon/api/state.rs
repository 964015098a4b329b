//! What all handlers share, and how they call the service.

use super::options::ServerOptions;
use super::problem::{ApiFailure, Defect};
use super::prometheus::RequestCounts;
use super::repeats::RepeatedMessages;
use super::request_log::RequestLog;
use crate::daemon::service::Service;
use crate::daemon::view::TotalsView;
use crate::notation::catalogue::Catalogue;
use axum::body::Bytes;
use axum::extract::State;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;
use tokio::sync::{Semaphore, watch};

/// The last totals, and when they were computed.
#[derive(Default)]
pub struct TotalsCache(pub Mutex<Option<(Instant, TotalsView)>>);

/// What all handlers share.
pub struct ApiState {
    pub service: Arc<dyn Service>,
    pub options: ServerOptions,
    pub catalogue: Catalogue,
    pub counts: RequestCounts,
    pub totals: TotalsCache,
    /// Defects that were said lately.
    pub said: RepeatedMessages,
    pub log: RequestLog,
    pub running: Semaphore,
    /// Places of calls of the service. A call that its request no longer waits for keeps its place until it ends.
    pub calls: Arc<Semaphore>,
    /// Of these, places of calls that take much processor time or memory.
    pub heavy: Arc<Semaphore>,
    /// Of these, places of searches for the machine's moves and for answers to tactical questions.
    pub thinking: Arc<Semaphore>,
    /// Places of calls for the health and the metrics, which no other call can fill.
    pub watching: Arc<Semaphore>,
    pub streams: Arc<Semaphore>,
    /// Becomes true when the daemon ends. Streams of events end then.
    pub closing: watch::Receiver<bool>,
    pub openapi: OnceLock<Bytes>,
}

/// The state as handlers extract it.
pub type Handle = State<Arc<ApiState>>;

impl ApiState {
    /// Calls the service on a thread that may block.
    pub async fn call<T: Send + 'static>(
        self: &Arc<ApiState>,
        call: impl FnOnce(&ApiState) -> Result<T, ApiFailure> + Send + 'static,
    ) -> Result<T, ApiFailure> {
        self.call_at(&self.calls, call).await
    }

    /// The same for the health and the metrics, which have places of their own.
    pub async fn call_watching<T: Send + 'static>(
        self: &Arc<ApiState>,
        call: impl FnOnce(&ApiState) -> Result<T, ApiFailure> + Send + 'static,
    ) -> Result<T, ApiFailure> {
        self.call_at(&self.watching, call).await
    }

    async fn call_at<T: Send + 'static>(
        self: &Arc<ApiState>,
        places: &Arc<Semaphore>,
        call: impl FnOnce(&ApiState) -> Result<T, ApiFailure> + Send + 'static,
    ) -> Result<T, ApiFailure> {
        let shared = Arc::clone(self);
        let place = Arc::clone(places).acquire_owned().await;
        let ended = tokio::task::spawn_blocking(move || {
            // Here, and not with the request, which may be given up before.
            let _place = place;
            call(&shared)
        });
        match ended.await {
            Ok(result) => result,
            Err(error) => Err(ApiFailure::Defect(Defect(error.to_string()))),
        }
    }

    /// The same for work that takes much processor time or memory. Only a few such calls run at a time.
    pub async fn call_heavy<T: Send + 'static>(
        self: &Arc<ApiState>,
        call: impl FnOnce(&ApiState) -> Result<T, ApiFailure> + Send + 'static,
    ) -> Result<T, ApiFailure> {
        self.call_few(&self.heavy, call).await
    }

    /// The same for searches for the machine's moves and for answers, which take seconds. What the call gets as its
    /// second argument says whether to stop: nobody waits for the answer any more, or the daemon ends.
    pub async fn call_thinking<T: Send + 'static>(
        self: &Arc<ApiState>,
        call: impl FnOnce(&ApiState, &dyn Fn() -> bool) -> Result<T, ApiFailure> + Send + 'static,
    ) -> Result<T, ApiFailure> {
        let waits = WaitingClient::default();
        let given_up = Arc::clone(&waits.given_up);
        let call =
            move |shared: &ApiState| call(shared, &|| given_up.load(Ordering::Relaxed) || *shared.closing.borrow());
        let found = self.call_few(&self.thinking, call).await;
        drop(waits);
        found
    }

    async fn call_few<T: Send + 'static>(
        self: &Arc<ApiState>,
        places: &Arc<Semaphore>,
        call: impl FnOnce(&ApiState) -> Result<T, ApiFailure> + Send + 'static,
    ) -> Result<T, ApiFailure> {
        let place = Arc::clone(places).acquire_owned().await;
        self.call(move |shared| {
            let _place = place;
            call(shared)
        })
        .await
    }
}

/// Tells a search that nobody waits for its answer: the future of a request is dropped when its connection ends.
#[derive(Default)]
struct WaitingClient {
    given_up: Arc<AtomicBool>,
}

impl Drop for WaitingClient {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
    }
}
