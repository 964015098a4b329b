//! `/api/v1/events`: events as a stream of server-sent events.
//!
//! A stored event has its number as id. A client that reconnects with the number of the last event that it received
//! (`Last-Event-ID`, or `after`) first gets the events that it missed from the store, then the events from now on.
//! The two overlap, and numbers that were sent are left out. A client that is too slow catches up from the store in
//! the same way.

use super::connections::ConnectionPlace;
use super::extract::QueryParts;
use super::guard;
use super::problem::{ApiFailure, ProblemDetails};
use super::state::{ApiState, Handle};
use crate::daemon::view::{EventKind, EventView, JobId};
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::sync::{OwnedSemaphorePermit, watch};
use utoipa::{IntoParams, ToSchema};

/// The path of the stream.
const EVENTS: &str = "/api/v1/events";
/// Number of stored events that are read at a time.
const BATCH: usize = 1000;

/// Time that a client waits before it reconnects.
const RETRY: Duration = Duration::from_secs(2);

/// Time after which the token of a stream is checked again.
const CHECK: Duration = Duration::from_secs(1);

/// Which events are streamed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Events of this job.
    job: Option<JobId>,
    /// Begin after the event with this number. The header Last-Event-ID overrides it.
    after: Option<u64>,
}

/// The header with which a client reconnects. This type only describes it; the handler reads the header itself.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it is only described")]
struct LastEventHeader {
    /// Number of the last event that the client received.
    #[param(rename = "Last-Event-ID", nullable = false)]
    last: Option<u64>,
}

/// An event of the stream, by the names of its lines. This type only describes it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is only described")]
struct Streamed {
    /// Number of the event. Progress is not stored and has no number.
    #[schema(nullable = false)]
    id: Option<String>,
    /// An `EventView` document.
    #[schema(content_media_type = "application/json")]
    data: String,
}

/// The events as they happen: a stream of server-sent events whose data are `EventView` documents.
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
    connection: Option<Extension<Arc<ConnectionPlace>>>,
    headers: HeaderMap,
) -> Result<Response, ApiFailure> {
    let seen =
        match headers.get("last-event-id").map(HeaderValue::as_bytes) {
            None | Some(b"") => asked.after,
            Some(id) => {
                let id = std::str::from_utf8(id).ok().and_then(|id| id.parse().ok());
                Some(id.ok_or_else(|| {
                    ProblemDetails::malformed("the header Last-Event-ID is not the number of an event")
                })?)
            }
        };
    let place = Arc::clone(&shared.streams).try_acquire_owned();
    let busy = |text| ProblemDetails::new(StatusCode::SERVICE_UNAVAILABLE, text);
    let place = place.map_err(|_| busy("too many clients follow the events: try again later"))?;
    if connection.is_some_and(|Extension(connection)| !connection.begin_stream()) {
        return Err(busy("too many clients at this address follow the events: close some of them").into());
    }
    let feed = Feed {
        // Subscribed before the store is read, so that no event is lost in between.
        live: shared.service.subscribe(),
        closing: shared.closing.clone(),
        ready: VecDeque::new(),
        behind: seen.is_some(),
        sent: seen,
        job: asked.job,
        headers,
        checked: Instant::now(),
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

/// Whether an event is stored. Progress is not, so a client cannot reconnect with its numbers.
fn stored(event: &EventView) -> bool {
    !matches!(event.what, EventKind::Progress { .. })
}

fn written(event: &EventView) -> Event {
    let data = serde_json::to_string(event).unwrap_or_default();
    let written = if stored(event) { Event::default().id(event.id.to_string()) } else { Event::default() };
    written.data(data)
}

/// The events of one client.
struct Feed {
    live: Receiver<EventView>,
    closing: watch::Receiver<bool>,
    /// Events that were read from the store and not sent yet.
    ready: VecDeque<EventView>,
    /// The store may have more events that were not sent.
    behind: bool,
    /// Number of the last stored event that was sent.
    sent: Option<u64>,
    job: Option<JobId>,
    /// The headers of the request, with its token.
    headers: HeaderMap,
    /// When the token was last checked.
    checked: Instant,
    shared: Arc<ApiState>,
    _place: OwnedSemaphorePermit,
}

impl Feed {
    /// The next event; `None` when the daemon ends, or the token is no longer valid.
    async fn next(&mut self) -> Option<EventView> {
        loop {
            if *self.closing.borrow() {
                return None;
            }
            self.check_token().await?;
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.behind {
                self.catch_up().await?;
                continue;
            }
            tokio::select! {
                _ = self.closing.changed() => return None,
                () = tokio::time::sleep_until((self.checked + CHECK).into()), if self.needs_token() => {}
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

    fn needs_token(&self) -> bool {
        self.shared.options.tokens.is_some()
    }

    /// Checks the token again after some time; `None` if it is no longer valid.
    async fn check_token(&mut self) -> Option<()> {
        if self.needs_token() && self.checked.elapsed() >= CHECK {
            guard::token(&self.shared, &Method::GET, EVENTS, &self.headers).await.ok()?;
            self.checked = Instant::now();
        }
        Some(())
    }

    /// The event, if the client asked for it and it was not sent yet.
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
