//! The API without sockets: every request passes [`Api::answer`].

use super::connections::ConnectionPlace;
use super::options::ServerOptions;
use super::problem::{self, ApiFailure, Defect, ProblemDetails};
use super::prometheus::RequestCounts;
use super::repeats::RepeatedMessages;
use super::request_log::{LoggedRequest, PeerAddress, RequestLog};
use super::state::{ApiState, TotalsCache};
use super::{archive, backups, credit, editor, events, extract, guard, jobs, metrics, positions, strategies, totals};
use crate::daemon::service::Service;
use crate::notation::catalogue::Catalogue;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, MatchedPath, Request};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tokio::sync::{Semaphore, watch};
use tower_service::Service as _;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Characters of a path that the log shows.
const LOGGED_PATH: usize = 200;

/// The API: answers the requests that the server hands to it.
#[derive(Clone)]
pub struct Api {
    pub(super) shared: Arc<ApiState>,
    router: Router,
}

/// The document at `/api/v1/openapi.json`, without the paths.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "morpion",
        version = "1",
        description = "Jobs, workers, grids and events of a daemon that hunts records in Morpion Solitaire. Fields are \
                       never renamed within version 1; fields may be added.",
        license(name = "MIT OR Apache-2.0"),
    ),
    // utoipa does not find schemas that only parameters use.
    components(schemas(
        ProblemDetails,
        crate::daemon::view::EventView,
        crate::daemon::view::GridSort,
        crate::daemon::view::JobState,
        crate::daemon::view::UnitState,
        crate::morpion::symmetry::SymmetryFilter,
        crate::morpion::variant::Variant,
        archive::GridForm,
        archive::PictureColours,
        jobs::ListedSettings,
    )),
    security((), ("token" = [])),
    modifiers(&TokenScheme),
)]
struct Description;

/// Describes how tokens are sent.
struct TokenScheme;

impl utoipa::Modify for TokenScheme {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        openapi.components.get_or_insert_default().add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

impl Api {
    /// The API of a service. Streams of events end when `closing` becomes true.
    ///
    /// # Errors
    /// If the built-in records cannot be read.
    pub fn new(
        service: Arc<dyn Service>,
        options: ServerOptions,
        closing: watch::Receiver<bool>,
    ) -> Result<Api, crate::notation::format::GridReadError> {
        let limits = options.limits;
        let shared = Arc::new(ApiState {
            service,
            catalogue: Catalogue::load()?,
            counts: RequestCounts::default(),
            totals: TotalsCache::default(),
            said: RepeatedMessages::default(),
            log: RequestLog::default(),
            running: Semaphore::new(limits.running),
            calls: Arc::new(Semaphore::new(limits.running)),
            heavy: Arc::new(Semaphore::new(limits.heavy)),
            thinking: Arc::new(Semaphore::new(limits.thinking)),
            watching: Arc::new(Semaphore::new(limits.watching)),
            streams: Arc::new(Semaphore::new(limits.streams)),
            closing,
            options,
            openapi: OnceLock::new(),
        });
        let (router, openapi) = routes().split_for_parts();
        // The OpenAPI registry of formats calls uint64 what utoipa calls u-int64. The bound is for tools that know
        // neither.
        let text = serde_json::to_string(&openapi).unwrap_or_default();
        let bounded = format!("\"format\":\"uint64\",\"maximum\":{}", u64::MAX);
        let text = text.replace("\"format\":\"u-int64\"", &bounded).replace("\"u-int", "\"uint");
        let _ = shared.openapi.set(text.into());
        // Bodies are bounded before they come here.
        let router = router.fallback(page).layer(DefaultBodyLimit::disable());
        let router = router.layer(axum::middleware::from_fn(name_route)).with_state(Arc::clone(&shared));
        Ok(Api { shared, router })
    }

    /// Answers any request.
    pub async fn answer(&self, request: Request) -> Response {
        let begun = Instant::now();
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let mut logged =
            LoggedRequest::new(&method, &path, request.extensions().get::<PeerAddress>().copied(), begun);
        let response = match self.admit(request, &mut logged).await {
            Ok(response) => response,
            Err(failure) => failure.into_response(),
        };
        if let Some(Defect(text)) = response.extensions().get()
            && let Some(left_out) = self.shared.said.is_due(text, begun)
        {
            let path: String = path.chars().take(LOGGED_PATH).collect();
            let again = if left_out > 0 {
                format!(" (and {left_out} times since this was last said)")
            } else {
                String::new()
            };
            (self.shared.options.log)(&format!("{method} {path}: {text}{again}"));
        }
        self.shared.log.tell(&logged, response.status(), response.extensions().get());
        let response = guard::protect(problem::finish(response, &method, &path), &path);
        let route = response.extensions().get::<MatchedPath>().map_or("other", |route| route.as_str());
        self.shared.counts.count(route, &method, response.status(), begun.elapsed());
        response
    }

    async fn admit(&self, request: Request, logged: &mut LoggedRequest) -> Result<Response, ApiFailure> {
        let limits = &self.shared.options.limits;
        guard::address(request.uri(), request.headers(), &self.shared.options.hosts)?;
        guard::origin(request.uri(), request.headers())?;
        let (mut parts, body) = request.into_parts();
        logged.token = guard::token(&self.shared, &parts.method, parts.uri.path(), &parts.headers).await?;
        let most = limits.of_body(parts.uri.path());
        let declared = parts.headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
        if declared.is_some_and(|length| length > most as u64) {
            return Err(too_large(most).into());
        }
        let body = tokio::time::timeout(limits.reading, Limited::new(body, most).collect()).await;
        let body = match body {
            Err(_) => {
                let seconds = limits.reading.as_secs();
                let text = format!("the body did not arrive within {seconds} seconds");
                return Err(ProblemDetails::new(StatusCode::REQUEST_TIMEOUT, text).into());
            }
            Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(too_large(most).into()),
            Ok(Err(_)) => return Err(ProblemDetails::malformed("the body ended too early").into()),
            Ok(Ok(body)) => body.to_bytes(),
        };
        if let Some(place) = parts.extensions.get::<Arc<ConnectionPlace>>() {
            place.connection.works();
        }
        let busy = |text| ApiFailure::from(ProblemDetails::new(StatusCode::SERVICE_UNAVAILABLE, text));
        // Whoever watches the daemon sees it when all places are taken, too: these wait for places of their own.
        let _place = match parts.uri.path() {
            "/api/v1/health" | "/metrics" => None,
            _ => {
                let place = self.shared.running.try_acquire();
                Some(place.map_err(|_| busy("too many requests are at work: try again in a moment"))?)
            }
        };
        // The body has been read, so its length no longer belongs in the head.
        parts.headers.remove(header::CONTENT_LENGTH);
        let answer = self.router.clone().call(Request::from_parts(parts, Body::from(body)));
        match tokio::time::timeout(limits.answering, answer).await {
            Ok(Ok(response)) => Ok(response),
            Err(_) => Err(busy("the request took too long; it may still take effect")),
        }
    }
}

fn too_large(limit: usize) -> ProblemDetails {
    ProblemDetails::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body is longer than {limit} bytes"))
}

/// Keeps the route of a response, for the counts.
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
        .routes(routes!(jobs::request))
        .routes(routes!(jobs::pause))
        .routes(routes!(jobs::resume))
        .routes(routes!(jobs::cancel))
        .routes(routes!(jobs::drain))
        .routes(routes!(jobs::retry))
        .routes(routes!(jobs::units))
        .routes(routes!(jobs::statistics))
        .routes(routes!(jobs::games))
        .routes(routes!(jobs::analyses))
        .routes(routes!(jobs::answers))
        .routes(routes!(jobs::weights))
        .routes(routes!(jobs::patterns))
        .routes(routes!(jobs::plan))
        .routes(routes!(jobs::workers))
        .routes(routes!(jobs::machines))
        .routes(routes!(jobs::all_units))
        .routes(routes!(archive::list, archive::add))
        .routes(routes!(archive::check))
        .routes(routes!(archive::show, archive::remove))
        .routes(routes!(archive::compare))
        .routes(routes!(archive::archive))
        .routes(routes!(archive::board))
        .routes(routes!(positions::position))
        .routes(routes!(positions::chosen_move))
        .routes(routes!(positions::analysis))
        .routes(routes!(editor::read_trees))
        .routes(routes!(editor::write_trees))
        .routes(routes!(editor::node_position))
        .routes(routes!(editor::answer_question))
        .routes(routes!(editor::count_score))
        .routes(routes!(editor::pattern_file))
        .routes(routes!(editor::add_pattern))
        .routes(routes!(editor::match_patterns))
        .routes(routes!(editor::look_up_joseki))
        .routes(routes!(editor::example_problems))
        .routes(routes!(strategies::strategies))
        .routes(routes!(events::events))
        .routes(routes!(backups::list, backups::begin))
        .routes(routes!(credit::project))
        .routes(routes!(credit::export))
        .routes(routes!(credit::user))
        .routes(routes!(credit::messages, credit::send))
        .routes(routes!(totals::statistics))
        .routes(routes!(totals::openapi))
        .routes(routes!(metrics::metrics))
}

/// Answers with a file of the page.
async fn page(request: Request) -> Response {
    use axum::http::{HeaderValue, Method};
    let Some((media_type, bytes)) = crate::daemon::ui::file(request.uri().path()) else {
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
