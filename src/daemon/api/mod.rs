//! The HTTP API: `/api/v1`, `/metrics` and the page, over a [`Service`].
//!
//! A request passes, in this order: its address and origin (`guard`), its token, its body (a bound on size and time),
//! a free place among those at work, and the router; whatever refuses it, the answer is a problem document
//! (`problem`). The service blocks, so it is called on threads of its own. `server` is what holds sockets.

mod archive;
mod events;
mod extract;
mod guard;
mod jobs;
mod metrics;
mod positions;
mod problem;
mod server;
mod strategies;
mod totals;

pub use problem::ProblemDetails;
pub use server::{ServeError, admit, serve};

use super::service::Service;
use super::tokens::TokenStore;
use crate::notation::catalogue::Catalogue;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use metrics::Metrics;
use problem::{ApiFailure, Defect};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, watch};
use tower_service::Service as _;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Writes a line of the daemon's log.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// How the API is served.
#[derive(Clone)]
pub struct ServerOptions {
    /// Names under which the daemon may be addressed, besides `localhost` and addresses in numbers.
    pub hosts: Vec<String>,
    /// Who may do what; nothing for a daemon that only its own machine reaches.
    pub tokens: Option<Arc<dyn TokenStore>>,
    /// Where messages go that are not for clients.
    pub log: Log,
    /// Bounds.
    pub limits: ServerLimits,
}

impl ServerOptions {
    /// No further names, no tokens, the usual bounds.
    pub fn new(log: Log) -> ServerOptions {
        ServerOptions { hosts: Vec::new(), tokens: None, log, limits: ServerLimits::default() }
    }
}

/// Bounds on what clients may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Time in which a request's head, and then its body, must have come.
    pub reading: Duration,
    /// Time in which it must have been answered.
    pub answering: Duration,
    /// Time without any progress after which an answer is given up that its client does not take.
    pub writing: Duration,
    /// Connections at a time; more of them wait.
    pub connections: usize,
    /// Requests at work at a time; more of them are refused.
    pub running: usize,
    /// Of these, requests that need much of a processor: pictures, grids to be checked.
    pub heavy: usize,
    /// Streams of events.
    pub streams: usize,
    /// Time between two signs of life in a stream of events.
    pub keep_alive: Duration,
}

impl Default for ServerLimits {
    fn default() -> ServerLimits {
        ServerLimits {
            body: 1 << 20,
            reading: Duration::from_secs(15),
            answering: Duration::from_secs(30),
            writing: Duration::from_secs(60),
            connections: 512,
            running: 64,
            heavy: 4,
            streams: 128,
            keep_alive: Duration::from_secs(15),
        }
    }
}

/// What all handlers share.
struct ApiState {
    service: Arc<dyn Service>,
    options: ServerOptions,
    catalogue: Catalogue,
    metrics: Metrics,
    totals: totals::Cache,
    running: Semaphore,
    heavy: Semaphore,
    streams: Arc<Semaphore>,
    /// Becomes true when the daemon ends: streams end then.
    closing: watch::Receiver<bool>,
    openapi: OnceLock<Bytes>,
}

type Handle = State<Arc<ApiState>>;

impl ApiState {
    /// Calls the service on a thread that may block.
    async fn call<T: Send + 'static>(
        self: &Arc<ApiState>,
        call: impl FnOnce(&ApiState) -> Result<T, ApiFailure> + Send + 'static,
    ) -> Result<T, ApiFailure> {
        let shared = Arc::clone(self);
        match tokio::task::spawn_blocking(move || call(&shared)).await {
            Ok(result) => result,
            Err(error) => Err(ApiFailure::Defect(Defect(error.to_string()))),
        }
    }

    /// The same for work that keeps a processor busy, of which little is done at a time.
    async fn call_heavy<T: Send + 'static>(
        self: &Arc<ApiState>,
        call: impl FnOnce(&ApiState) -> Result<T, ApiFailure> + Send + 'static,
    ) -> Result<T, ApiFailure> {
        let place = self.heavy.acquire().await;
        let result = self.call(call).await;
        drop(place);
        result
    }
}

/// The API without sockets: answers requests.
#[derive(Clone)]
pub struct Api {
    shared: Arc<ApiState>,
    router: Router,
}

/// The document at `/api/v1/openapi.json`, but for the paths.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "morpion",
        version = "1",
        description = "Jobs, workers, grids and events of a daemon that hunts records in Morpion Solitaire. Fields are \
                       never renamed within version 1; fields may be added.",
        license(name = "MIT OR Apache-2.0"),
    ),
    // Those that only parameters name are not found by themselves.
    components(schemas(
        ProblemDetails,
        super::view::EventView,
        super::view::JobState,
        super::view::UnitState,
        crate::morpion::variant::Variant,
        archive::GridForm,
        archive::PictureColours,
    )),
    security((), ("token" = [])),
    modifiers(&TokenScheme),
)]
struct Description;

/// Says how tokens are sent.
struct TokenScheme;

impl utoipa::Modify for TokenScheme {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        openapi.components.get_or_insert_default().add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

impl Api {
    /// The API of a service. It ends its streams of events when `closing` becomes true.
    ///
    /// # Errors
    /// Only if the known records were damaged.
    pub fn new(
        service: Arc<dyn Service>,
        options: ServerOptions,
        closing: watch::Receiver<bool>,
    ) -> Result<Api, crate::notation::format::ReadError> {
        let limits = options.limits;
        let shared = Arc::new(ApiState {
            service,
            catalogue: Catalogue::load()?,
            metrics: Metrics::default(),
            totals: totals::Cache::default(),
            running: Semaphore::new(limits.running),
            heavy: Semaphore::new(limits.heavy),
            streams: Arc::new(Semaphore::new(limits.streams)),
            closing,
            options,
            openapi: OnceLock::new(),
        });
        let (router, openapi) = routes().split_for_parts();
        // The registry of formats spells uint64 what utoipa spells u-int64; and who does not know it is told the bound.
        let text = serde_json::to_string(&openapi).unwrap_or_default();
        let bounded = format!("\"format\":\"uint64\",\"maximum\":{}", u64::MAX);
        let text = text.replace("\"format\":\"u-int64\"", &bounded).replace("\"u-int", "\"uint");
        let _ = shared.openapi.set(text.into());
        let router =
            router.fallback(page).layer(axum::middleware::from_fn(name_route)).with_state(Arc::clone(&shared));
        Ok(Api { shared, router })
    }

    /// Answers a request, whatever it is.
    pub async fn answer(&self, request: Request) -> Response {
        let begun = Instant::now();
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = match self.admit(request).await {
            Ok(response) => response,
            Err(failure) => failure.into_response(),
        };
        if let Some(Defect(text)) = response.extensions().get() {
            (self.shared.options.log)(&format!("{method} {path}: {text}"));
        }
        let response = guard::protect(problem::finish(response, &method, &path), &path);
        let route = response.extensions().get::<MatchedPath>().map_or("other", |route| route.as_str());
        self.shared.metrics.count(route, &method, response.status(), begun.elapsed());
        response
    }

    async fn admit(&self, request: Request) -> Result<Response, ApiFailure> {
        let limits = &self.shared.options.limits;
        guard::address(request.uri(), request.headers(), &self.shared.options.hosts)?;
        guard::origin(request.uri(), request.headers())?;
        let (mut parts, body) = request.into_parts();
        guard::token(&self.shared, &parts.method, parts.uri.path(), &parts.headers).await?;
        let declared = parts.headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
        if declared.is_some_and(|length| length > limits.body as u64) {
            return Err(too_large(limits.body).into());
        }
        let body = tokio::time::timeout(limits.reading, Limited::new(body, limits.body).collect()).await;
        let body = match body {
            Err(_) => {
                let seconds = limits.reading.as_secs();
                let text = format!("the body did not come within {seconds} seconds");
                return Err(ProblemDetails::new(StatusCode::REQUEST_TIMEOUT, text).into());
            }
            Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(too_large(limits.body).into()),
            Ok(Err(_)) => return Err(ProblemDetails::malformed("the body broke off").into()),
            Ok(Ok(body)) => body.to_bytes(),
        };
        let busy = |text| ApiFailure::from(ProblemDetails::new(StatusCode::SERVICE_UNAVAILABLE, text));
        let place = self.shared.running.try_acquire();
        let _place = place.map_err(|_| busy("too many requests are at work: try again in a moment"))?;
        // The router's own copy of the length would be that of a body that has been read.
        parts.headers.remove(header::CONTENT_LENGTH);
        let answer = self.router.clone().call(Request::from_parts(parts, Body::from(body)));
        match tokio::time::timeout(limits.answering, answer).await {
            Ok(Ok(response)) => Ok(response),
            Err(_) => Err(busy("it took too long; it may yet take effect")),
        }
    }
}

fn too_large(limit: usize) -> ProblemDetails {
    ProblemDetails::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body is longer than {limit} bytes"))
}

/// Remembers which route answered, for the counts.
async fn name_route(route: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

fn routes() -> OpenApiRouter<Arc<ApiState>> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(totals::health))
        .routes(routes!(jobs::list, jobs::submit))
        .routes(routes!(jobs::show, jobs::adjust, jobs::remove))
        .routes(routes!(jobs::pause))
        .routes(routes!(jobs::resume))
        .routes(routes!(jobs::cancel))
        .routes(routes!(jobs::drain))
        .routes(routes!(jobs::units))
        .routes(routes!(jobs::statistics))
        .routes(routes!(jobs::workers))
        .routes(routes!(jobs::all_units))
        .routes(routes!(archive::list, archive::add))
        .routes(routes!(archive::check))
        .routes(routes!(archive::show))
        .routes(routes!(archive::compare))
        .routes(routes!(archive::archive))
        .routes(routes!(archive::board))
        .routes(routes!(positions::position))
        .routes(routes!(strategies::strategies))
        .routes(routes!(events::events))
        .routes(routes!(totals::statistics))
        .routes(routes!(totals::openapi))
        .routes(routes!(metrics::metrics))
}

/// The files of the page.
async fn page(request: Request) -> Response {
    use axum::http::{HeaderValue, Method};
    let Some((media_type, bytes)) = super::ui::file(request.uri().path()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let allow = (header::ALLOW, HeaderValue::from_static("GET,HEAD"));
        return (StatusCode::METHOD_NOT_ALLOWED, [allow]).into_response();
    }
    let mut response = extract::typed(media_type, Bytes::from_static(bytes));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
