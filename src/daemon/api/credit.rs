//! `/api/v1/credit` and `/api/v1/messages`.

use super::extract::{JsonDocument, PathParts, json, typed};
use super::problem::{ApiFailure, ProblemDetails};
use super::state::Handle;
use crate::daemon::view::{MessageRequest, MessageView, MessagesView, ProjectCreditView, UserAccountView};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

/// The credit of the project, its users and its teams, at most a second old.
#[utoipa::path(get, path = "/api/v1/credit", operation_id = "credit", tag = "credit", responses(
    (status = 200, body = ProjectCreditView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn project(State(shared): Handle) -> Result<Response, ApiFailure> {
    let credit = shared.call(move |shared| Ok(shared.service.credit()?)).await?;
    Ok(JsonDocument(credit).into_response())
}

/// The credit of a user by day and machine.
#[utoipa::path(get, path = "/api/v1/credit/users/{name}", operation_id = "credit_of_user", tag = "credit",
    params(("name" = String, Path, description = "The user.", min_length = 1, max_length = 40)),
    responses(
        (status = 200, body = UserAccountView),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn user(State(shared): Handle, PathParts(name): PathParts<String>) -> Result<Response, ApiFailure> {
    let account = shared.call(move |shared| Ok(shared.service.credit_of(&name)?)).await?;
    Ok(JsonDocument(account).into_response())
}

/// All accounts, one line for each machine and day: text with commas between the values.
#[utoipa::path(get, path = "/api/v1/credit/export", operation_id = "export_credit", tag = "credit", responses(
    (status = 200, body = String, content_type = "text/csv"),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn export(State(shared): Handle) -> Result<Response, ApiFailure> {
    let text = shared.call_heavy(move |shared| Ok(shared.service.export_credit()?)).await?;
    Ok(typed("text/csv; charset=utf-8", text))
}

/// The messages to users, the newest first.
#[utoipa::path(get, path = "/api/v1/messages", operation_id = "messages", tag = "credit", responses(
    (status = 200, body = MessagesView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn messages(State(shared): Handle) -> Result<Response, ApiFailure> {
    let messages = shared.call(move |shared| Ok(shared.service.messages()?)).await?;
    Ok(JsonDocument(messages).into_response())
}

/// Sends a message to a user or to all. Their machines show it once, within seconds or when they are started.
#[utoipa::path(post, path = "/api/v1/messages", operation_id = "send_message", tag = "credit",
    request_body = MessageRequest,
    responses(
        (status = 201, body = MessageView),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn send(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: MessageRequest = json(&headers, &body)?;
    let message = shared.call(move |shared| Ok(shared.service.send_message(request)?)).await?;
    Ok((StatusCode::CREATED, JsonDocument(message)).into_response())
}
