//! `/api/v1/events`: what happens, as server-sent events.
//!
//! A stored event carries its number as id. A client that comes back with the last one it saw (`Last-Event-ID`, or
//! `after`) first gets what it missed from the store, then what happens from now on; the two overlap, and numbers that
//! were sent are left out. A client that is too slow is brought up from the store in the same way.

use super::extract::QueryParts;
use super::problem::{ApiFailure, ProblemDetails};
use super::state::{ApiState, Handle};
use crate::daemon::view::{EventKind, EventView, JobId};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::sync::{OwnedSemaphorePermit, watch};
use utoipa::{IntoParams, ToSchema};

/// Stored events that are read at a time.
const BATCH: usize = 1000;

/// What a client that lost its connection waits before it comes back.
const RETRY: Duration = Duration::from_secs(2);

/// Which events.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// About this job.
    job: Option<JobId>,
    /// Begin after the event with this number: as the header Last-Event-ID, which goes before it.
    after: Option<u64>,
}

/// Where a stream goes on; only described, for it is read from the headers as it is.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it is never made")]
struct LastEventHeader {
    /// Number of the last event that was seen.
    #[param(rename = "Last-Event-ID", nullable = false)]
    last: Option<u64>,
}

/// An event of the stream, by the names of its lines; only described.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is never made")]
struct Streamed {
    /// Number of the event; progress, which is not kept, has none.
    #[schema(nullable = false)]
    id: Option<String>,
    /// An `EventView` document.
    #[schema(content_media_type = "application/json")]
    data: String,
}

/// What happens, as it happens: server-sent events whose data are `EventView` documents.
#[utoipa::path(get, path = "/api/v1/events", tag = "events",
    params(EventsQuery, LastEventHeader),
    responses(
        (status = 200, body = Streamed, content_type = "text/event-stream"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn events(
    State(shared): Handle,
    QueryParts(asked): QueryParts<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiFailure> {
    let seen = match headers.get("last-event-id").map(HeaderValue::as_bytes) {
        None | Some(b"") => asked.after,
        Some(id) => {
            let id = std::str::from_utf8(id).ok().and_then(|id| id.parse().ok());
            Some(id.ok_or_else(|| ProblemDetails::malformed("the header Last-Event-ID is no number of an event"))?)
        }
    };
    let place = Arc::clone(&shared.streams).try_acquire_owned();
    let place = place.map_err(|_| {
        ProblemDetails::new(StatusCode::SERVICE_UNAVAILABLE, "too many clients follow the events: try again later")
    })?;
    let feed = Feed {
        // Before the store is read, so that nothing falls between.
        live: shared.service.subscribe(),
        closing: shared.closing.clone(),
        ready: VecDeque::new(),
        behind: seen.is_some(),
        sent: seen,
        job: asked.job,
        _place: place,
        shared: Arc::clone(&shared),
    };
    let begin = Event::default().comment("events").retry(RETRY);
    let stream = futures_util::stream::unfold((feed, Some(begin)), |(mut feed, begin)| async move {
        if let Some(begin) = begin {
            return Some((Ok::<_, Infallible>(begin), (feed, None)));
        }
        let event = feed.next().await?;
        Some((Ok(written(&event)), (feed, None)))
    });
    let keep_alive = KeepAlive::new().interval(shared.options.limits.keep_alive);
    let mut response = Sse::new(stream).keep_alive(keep_alive).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Progress is not stored: its numbers are nothing to come back with.
fn stored(event: &EventView) -> bool {
    !matches!(event.what, EventKind::Progress { .. })
}

fn written(event: &EventView) -> Event {
    let data = serde_json::to_string(event).unwrap_or_default();
    let written = if stored(event) { Event::default().id(event.id.to_string()) } else { Event::default() };
    written.data(data)
}

/// The events for one client.
struct Feed {
    live: Receiver<EventView>,
    closing: watch::Receiver<bool>,
    /// Read from the store, not yet sent.
    ready: VecDeque<EventView>,
    /// There may be more in the store that was not sent.
    behind: bool,
    /// Number of the last stored event that was sent.
    sent: Option<u64>,
    job: Option<JobId>,
    shared: Arc<ApiState>,
    _place: OwnedSemaphorePermit,
}

impl Feed {
    /// The next event; `None` when the daemon ends.
    async fn next(&mut self) -> Option<EventView> {
        loop {
            if *self.closing.borrow() {
                return None;
            }
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.behind {
                self.catch_up().await?;
                continue;
            }
            tokio::select! {
                _ = self.closing.changed() => return None,
                event = self.live.recv() => match event {
                    Ok(event) => {
                        if let Some(event) = self.fresh(event) {
                            return Some(event);
                        }
                    }
                    Err(RecvError::Lagged(_)) => self.behind = self.sent.is_some(),
                    Err(RecvError::Closed) => return None,
                },
            }
        }
    }

    /// The event, if it is asked for and was not sent yet.
    fn fresh(&mut self, event: EventView) -> Option<EventView> {
        if stored(&event) {
            if self.sent.is_some_and(|sent| event.id <= sent) {
                return None;
            }
            self.sent = Some(event.id);
        }
        (self.job.is_none() || event.job == self.job).then_some(event)
    }

    async fn catch_up(&mut self) -> Option<()> {
        let (sent, job) = (self.sent.unwrap_or(0), self.job);
        let missed = self.shared.call(move |shared| Ok(shared.service.events(sent, job, BATCH))).await;
        let missed = missed.ok()?;
        self.behind = missed.len() >= BATCH;
        self.sent = missed.last().map(|event| event.id).or(self.sent);
        self.ready = missed.into();
        Some(())
    }
}
