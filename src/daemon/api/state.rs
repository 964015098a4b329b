//! What all handlers share, and how they call the service.

use super::options::ServerOptions;
use super::problem::{ApiFailure, Defect};
use super::prometheus::RequestCounts;
use crate::daemon::service::Service;
use crate::daemon::view::TotalsView;
use crate::notation::catalogue::Catalogue;
use axum::body::Bytes;
use axum::extract::State;
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
    pub running: Semaphore,
    pub heavy: Semaphore,
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
        let shared = Arc::clone(self);
        match tokio::task::spawn_blocking(move || call(&shared)).await {
            Ok(result) => result,
            Err(error) => Err(ApiFailure::Defect(Defect(error.to_string()))),
        }
    }

    /// The same for work that takes much processor time. Only a few such calls run at a time.
    pub async fn call_heavy<T: Send + 'static>(
        self: &Arc<ApiState>,
        call: impl FnOnce(&ApiState) -> Result<T, ApiFailure> + Send + 'static,
    ) -> Result<T, ApiFailure> {
        let place = self.heavy.acquire().await;
        let result = self.call(call).await;
        drop(place);
        result
    }
}
