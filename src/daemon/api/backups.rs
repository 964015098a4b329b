//! `/api/v1/backups`.

use super::extract::{JsonDocument, json};
use super::problem::{ApiFailure, ProblemDetails};
use super::state::Handle;
use crate::daemon::view::{BackupRequest, BackupsView};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

/// The backups, and whether one is being made.
#[utoipa::path(get, path = "/api/v1/backups", operation_id = "list_backups", tag = "daemon", responses(
    (status = 200, body = BackupsView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list(State(shared): Handle) -> Result<Response, ApiFailure> {
    let backups = shared.call(move |shared| Ok(shared.service.backups()?)).await?;
    Ok(JsonDocument(backups).into_response())
}

/// Begins a backup of the daemon's state in a new folder on its machine. Jobs go on meanwhile.
#[utoipa::path(post, path = "/api/v1/backups", operation_id = "begin_backup", tag = "daemon",
    request_body = Option<BackupRequest>,
    responses(
        (status = 202, body = BackupsView),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn begin(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let BackupRequest { keep } = if body.is_empty() { BackupRequest::default() } else { json(&headers, &body)? };
    let backups = shared.call(move |shared| Ok(shared.service.begin_backup(keep)?)).await?;
    Ok((StatusCode::ACCEPTED, JsonDocument(backups)).into_response())
}
