//! `/api/v1/jobs`, `/api/v1/units` and `/api/v1/workers`.

use super::extract::{JsonDocument, PathParts, QueryParts, json, nothing, page, typed};
use super::problem::{ApiFailure, ProblemDetails};
use super::state::{ApiState, Handle};
use crate::daemon::object;
use crate::daemon::service::{Adjustment, JobCommand, JobFilter};
use crate::daemon::view::{
    AnalysedPositionView, AnsweredQuestionView, BeginDocument, JobId, JobRequest, JobState, JobView, LimitsDocument,
    Listing, MatchGameView, PoolView, StatisticsView, UnitState, UnitView, WorkerView,
};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// The header with a client's own key of a submission.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Most characters of a key.
const LONGEST_KEY: usize = 128;

/// How much of the settings of jobs is listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListedSettings {
    /// All of them.
    #[default]
    Whole,
    /// Of texts with more than 200 characters the first 200, and an ellipsis.
    Short,
}

/// Which jobs are listed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct JobsQuery {
    /// Jobs in this state.
    state: Option<JobState>,
    /// Jobs of this kind.
    kind: Option<String>,
    /// How much of their settings; default `whole`.
    settings: Option<ListedSettings>,
    /// Most items, 1 to 1000; default 100.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// `next` of the page before.
    #[param(min_length = 1, max_length = 256)]
    cursor: Option<String>,
}

/// The jobs, newest first.
#[utoipa::path(get, path = "/api/v1/jobs", operation_id = "list_jobs", tag = "jobs", params(JobsQuery), responses(
    (status = 200, body = Listing<JobView>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list(State(shared): Handle, QueryParts(asked): QueryParts<JobsQuery>) -> Result<Response, ApiFailure> {
    let page = page(asked.limit, asked.cursor)?;
    let filter = JobFilter { state: asked.state, kind: asked.kind };
    let is_short = asked.settings.unwrap_or_default() == ListedSettings::Short;
    let listing = shared.call(move |shared| {
        let mut listing = shared.service.jobs(&filter, &page)?;
        if is_short {
            listing.items = listing.items.into_iter().map(JobView::with_short_settings).collect();
        }
        Ok(listing)
    });
    Ok(JsonDocument(listing.await?).into_response())
}

/// The header with a client's own key of a submission. This type only describes it; the handler reads the header
/// itself.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it is only described")]
struct IdempotencyHeader {
    /// A key of your own, at most 128 characters. A second request with the same key makes no second job.
    #[param(rename = "Idempotency-Key", nullable = false, pattern = "^[!-~]{1,128}$")]
    key: Option<String>,
}

/// Submits a job. It is stored durably when the answer comes.
#[utoipa::path(post, path = "/api/v1/jobs", tag = "jobs", request_body = JobRequest,
    params(IdempotencyHeader),
    responses(
        (status = 201, body = JobView, headers(("Location" = String, description = "The job.")), links(
            ("job" = (operation_id = "show_job", parameters(("id" = "$response.body#/id")))),
            ("request" = (operation_id = "job_request", parameters(("id" = "$response.body#/id")))),
            ("units" = (operation_id = "units", parameters(("id" = "$response.body#/id")))),
            ("statistics" = (operation_id = "job_statistics", parameters(("id" = "$response.body#/id")))),
            ("games" = (operation_id = "job_games", parameters(("id" = "$response.body#/id")))),
            ("adjust" = (operation_id = "adjust", parameters(("id" = "$response.body#/id")))),
            ("pause" = (operation_id = "pause", parameters(("id" = "$response.body#/id")))),
            ("resume" = (operation_id = "resume", parameters(("id" = "$response.body#/id")))),
            ("drain" = (operation_id = "drain", parameters(("id" = "$response.body#/id")))),
            ("retry" = (operation_id = "retry", parameters(("id" = "$response.body#/id")))),
            ("cancel" = (operation_id = "cancel", parameters(("id" = "$response.body#/id")))),
            ("remove" = (operation_id = "remove", parameters(("id" = "$response.body#/id")))),
        )),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn submit(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let key = idempotency(&headers)?;
    let request: JobRequest = json(&headers, &body)?;
    // Its grids and positions are texts of strangers.
    let submit = move |shared: &ApiState| Ok(shared.service.submit(request, key.as_deref())?);
    let job = shared.call_heavy(submit).await?;
    let location = HeaderValue::try_from(format!("/api/v1/jobs/{}", job.summary.id));
    let mut response = (StatusCode::CREATED, JsonDocument(job)).into_response();
    if let Ok(location) = location {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

fn idempotency(headers: &HeaderMap) -> Result<Option<String>, ApiFailure> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match value.to_str() {
        Ok(key) if (1..=LONGEST_KEY).contains(&key.len()) && values.next().is_none() => Ok(Some(key.to_owned())),
        _ => Err(ProblemDetails::malformed(format!(
            "the header Idempotency-Key is not valid: expected one text of 1 to {LONGEST_KEY} ASCII characters"
        ))
        .into()),
    }
}

/// A job, with its settings.
#[utoipa::path(get, path = "/api/v1/jobs/{id}", operation_id = "show_job", tag = "jobs", params(("id" = u64, Path, description = "The job.")),
    responses(
        (status = 200, body = JobView),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn show(State(shared): Handle, PathParts(id): PathParts<JobId>) -> Result<Response, ApiFailure> {
    let job = shared.call(move |shared| Ok(shared.service.job(id)?)).await?;
    Ok(JsonDocument(job).into_response())
}

/// The request that a job was submitted with. A copy of it makes a job with the same settings.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/request", operation_id = "job_request", tag = "jobs",
    params(("id" = u64, Path, description = "The job.")),
    responses(
        (status = 200, body = JobRequest),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn request(State(shared): Handle, PathParts(id): PathParts<JobId>) -> Result<Response, ApiFailure> {
    let request = shared.call(move |shared| Ok(shared.service.request(id)?)).await?;
    Ok(JsonDocument(request).into_response())
}

/// The changes of a job. A value that is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobPatch {
    /// Jobs of a higher priority get workers first; -100 to 100.
    #[serde(default)]
    #[schema(minimum = -100, maximum = 100)]
    priority: Option<i32>,
    /// Share of the workers among jobs of the same priority; 1 to 1000.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1000)]
    weight: Option<u32>,
    /// All limits. A limit that is left out no longer holds.
    #[serde(default, deserialize_with = "object::optional")]
    limits: Option<LimitsDocument>,
    /// When a job begins that has not begun: all conditions. One that is left out no longer holds.
    #[serde(default, deserialize_with = "object::optional")]
    begin: Option<BeginDocument>,
}

/// Changes a job that is not over.
#[utoipa::path(patch, path = "/api/v1/jobs/{id}", tag = "jobs", request_body = JobPatch,
    params(("id" = u64, Path, description = "The job.")),
    responses(
        (status = 200, body = JobView),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn adjust(
    State(shared): Handle,
    PathParts(id): PathParts<JobId>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiFailure> {
    let JobPatch { priority, weight, limits, begin } = json(&headers, &body)?;
    let adjustment = Adjustment { priority, weight, limits, begin };
    let job = shared.call(move |shared| Ok(shared.service.adjust(id, adjustment)?)).await?;
    Ok(JsonDocument(job).into_response())
}

/// Removes a job that is over, with its folder. Its grids stay in the archive.
#[utoipa::path(delete, path = "/api/v1/jobs/{id}", tag = "jobs", params(("id" = u64, Path, description = "The job.")),
    responses(
        (status = 204, description = "The job is removed."),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn remove(
    State(shared): Handle,
    PathParts(id): PathParts<JobId>,
    body: Bytes,
) -> Result<Response, ApiFailure> {
    nothing(&body)?;
    shared.call(move |shared| Ok(shared.service.remove(id)?)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Makes the handler of a command: each command is a route of its own.
macro_rules! command {
    ($name:ident, $path:literal, $command:expr, $text:literal) => {
        #[doc = $text]
        #[utoipa::path(post, path = $path, tag = "jobs", params(("id" = u64, Path, description = "The job.")),
                                    responses(
                                        (status = 200, body = JobView, description = "The command has taken effect."),
                                        (status = 202, body = JobView, description = "The command is stored and takes effect later: see `pending`."),
                                        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
                                        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
                                    ))]
        pub async fn $name(State(shared): Handle, PathParts(id): PathParts<JobId>, body: Bytes) -> Result<Response, ApiFailure> {
            nothing(&body)?;
            let job = shared.call(move |shared| Ok(shared.service.command(id, $command)?)).await?;
            let status = if job.pending.is_some() { StatusCode::ACCEPTED } else { StatusCode::OK };
            Ok((status, JsonDocument(job)).into_response())
        }
    };
}

command!(
    pause,
    "/api/v1/jobs/{id}/pause",
    JobCommand::Pause,
    "Pauses a job. When the answer is 200, no worker computes its units any more."
);
command!(resume, "/api/v1/jobs/{id}/resume", JobCommand::Resume, "Resumes a paused job.");
command!(
    cancel,
    "/api/v1/jobs/{id}/cancel",
    JobCommand::Cancel,
    "Cancels a job now. What it found stays. When the answer is 200, the job is over."
);
command!(
    retry,
    "/api/v1/jobs/{id}/retry",
    JobCommand::Retry,
    "Lets a failed job wait for its turn again. It continues with what it had; quarantined units are tried again."
);
command!(drain, "/api/v1/jobs/{id}/drain", JobCommand::Drain, "Ends a job when its running units end.");

/// Selects units of a job.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UnitsQuery {
    /// Units in this state.
    state: Option<UnitState>,
    /// Most items, 1 to 1000; default 100.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// `next` of the page before.
    #[param(min_length = 1, max_length = 256)]
    cursor: Option<String>,
}

/// The units of a job that were begun, ascending by number.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/units", tag = "jobs",
    params(("id" = u64, Path, description = "The job."), UnitsQuery),
    responses(
        (status = 200, body = Listing<UnitView>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn units(
    State(shared): Handle,
    PathParts(id): PathParts<JobId>,
    QueryParts(asked): QueryParts<UnitsQuery>,
) -> Result<Response, ApiFailure> {
    let page = page(asked.limit, asked.cursor)?;
    let listing = shared.call(move |shared| Ok(shared.service.units(id, asked.state, &page)?)).await?;
    Ok(JsonDocument(listing).into_response())
}

/// Which units are listed, over all jobs.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AllUnitsQuery {
    /// Units of this job.
    job: JobId,
    /// Units in this state.
    state: Option<UnitState>,
    /// Most items, 1 to 1000; default 100.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// `next` of the page before.
    #[param(min_length = 1, max_length = 256)]
    cursor: Option<String>,
}

/// The same units; the job is a parameter.
#[utoipa::path(get, path = "/api/v1/units", tag = "workers", params(AllUnitsQuery), responses(
    (status = 200, body = Listing<UnitView>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn all_units(
    State(shared): Handle,
    QueryParts(asked): QueryParts<AllUnitsQuery>,
) -> Result<Response, ApiFailure> {
    let page = page(asked.limit, asked.cursor)?;
    let listing = shared.call(move |shared| Ok(shared.service.units(asked.job, asked.state, &page)?)).await?;
    Ok(JsonDocument(listing).into_response())
}

/// The course of a job.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/statistics", operation_id = "job_statistics", tag = "jobs",
    params(("id" = u64, Path, description = "The job.")),
    responses(
        (status = 200, body = StatisticsView),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn statistics(State(shared): Handle, PathParts(id): PathParts<JobId>) -> Result<Response, ApiFailure> {
    let course = shared.call(move |shared| Ok(shared.service.statistics(id)?)).await?;
    Ok(JsonDocument(course).into_response())
}

/// A page of a list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ResultsQuery {
    /// Most items, 1 to 1000; default 100.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// `next` of the page before.
    #[param(min_length = 1, max_length = 256)]
    cursor: Option<String>,
}

/// The games of a match, or of a player against itself, that are over, ascending by number.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/games", operation_id = "job_games", tag = "jobs",
    params(("id" = u64, Path, description = "The job."), ResultsQuery),
    responses(
        (status = 200, body = Listing<MatchGameView>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn games(
    State(shared): Handle,
    PathParts(id): PathParts<JobId>,
    QueryParts(asked): QueryParts<ResultsQuery>,
) -> Result<Response, ApiFailure> {
    let page = page(asked.limit, asked.cursor)?;
    let listing = shared.call(move |shared| Ok(shared.service.games(id, &page)?)).await?;
    Ok(JsonDocument(listing).into_response())
}

/// The positions that a job has analysed, ascending by number.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/analyses", operation_id = "job_analyses", tag = "jobs",
    params(("id" = u64, Path, description = "The job."), ResultsQuery),
    responses(
        (status = 200, body = Listing<AnalysedPositionView>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn analyses(
    State(shared): Handle,
    PathParts(id): PathParts<JobId>,
    QueryParts(asked): QueryParts<ResultsQuery>,
) -> Result<Response, ApiFailure> {
    let page = page(asked.limit, asked.cursor)?;
    let listing = shared.call(move |shared| Ok(shared.service.analyses(id, &page)?)).await?;
    Ok(JsonDocument(listing).into_response())
}

/// The tactical questions that a job has answered, ascending by number.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/answers", operation_id = "job_answers", tag = "jobs",
    params(("id" = u64, Path, description = "The job."), ResultsQuery),
    responses(
        (status = 200, body = Listing<AnsweredQuestionView>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn answers(
    State(shared): Handle,
    PathParts(id): PathParts<JobId>,
    QueryParts(asked): QueryParts<ResultsQuery>,
) -> Result<Response, ApiFailure> {
    let page = page(asked.limit, asked.cursor)?;
    let listing = shared.call(move |shared| Ok(shared.service.answers(id, &page)?)).await?;
    Ok(JsonDocument(listing).into_response())
}

/// The file of the weights that a job has learned, as `morpion tune` writes it.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/weights", operation_id = "job_weights", tag = "jobs",
    params(("id" = u64, Path, description = "The job.")),
    responses(
        (status = 200, body = Vec<u8>, content_type = "application/octet-stream"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn weights(State(shared): Handle, PathParts(id): PathParts<JobId>) -> Result<Response, ApiFailure> {
    let bytes = shared.call(move |shared| Ok(shared.service.weights(id)?)).await?;
    Ok(typed("application/octet-stream", bytes))
}

/// The database of the patterns that a job has mined, in SGF, as `morpion tactics mine` writes it.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/patterns", operation_id = "job_patterns", tag = "jobs",
    params(("id" = u64, Path, description = "The job.")),
    responses(
        (status = 200, body = Vec<u8>, content_type = "application/x-go-sgf"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn patterns(State(shared): Handle, PathParts(id): PathParts<JobId>) -> Result<Response, ApiFailure> {
    let bytes = shared.call(move |shared| Ok(shared.service.patterns(id)?)).await?;
    Ok(typed("application/x-go-sgf", bytes))
}

/// The plan of Gomoku that a job looks for, as far as it is found, as `morpion plan find` writes it.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/plan", operation_id = "job_plan", tag = "jobs",
    params(("id" = u64, Path, description = "The job.")),
    responses(
        (status = 200, body = String, content_type = "text/plain"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn plan(State(shared): Handle, PathParts(id): PathParts<JobId>) -> Result<Response, ApiFailure> {
    let bytes = shared.call(move |shared| Ok(shared.service.plan(id)?)).await?;
    Ok(typed("text/plain; charset=utf-8", bytes))
}

/// The workers and what they compute.
#[utoipa::path(get, path = "/api/v1/workers", tag = "workers", responses(
    (status = 200, body = Listing<WorkerView>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn workers(State(shared): Handle) -> Result<Response, ApiFailure> {
    let items = shared.call(move |shared| Ok(shared.service.workers())).await?;
    Ok(JsonDocument(Listing { v: crate::daemon::view::VERSION, items, next: None }).into_response())
}

/// The workers on other machines.
#[utoipa::path(get, path = "/api/v1/machines", tag = "workers", responses(
    (status = 200, body = PoolView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn machines(State(shared): Handle) -> Result<Response, ApiFailure> {
    let pool = shared.call(move |shared| Ok(shared.service.pool())).await?;
    Ok(JsonDocument(pool).into_response())
}
