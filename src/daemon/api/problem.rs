//! Errors as clients see them: problem details (RFC 9457).
//!
//! A handler returns a [`ProblemDetails`]; it is kept as an extension of the response, and [`finish`]
//! writes it last. So what axum itself refuses (no such route, no such method) looks the same.

use crate::daemon::service::Refusal;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Media type of problem details.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// Seconds after which a client may try again what the daemon could not do.
const RETRY_AFTER: &str = "2";

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemDetails {
    /// `about:blank` if the status says what kind of problem it is; `urn:morpion:illegal-move` for an illegal move,
    /// whose number is in `number`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong, where, and what would be right.
    pub detail: String,
    /// The path of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// Number of the first illegal move, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
}

impl ProblemDetails {
    /// A problem with a status and a text.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> ProblemDetails {
        ProblemDetails {
            kind: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
            instance: None,
            number: None,
        }
    }

    /// The request is malformed (400).
    pub fn malformed(detail: impl Into<String>) -> ProblemDetails {
        ProblemDetails::new(StatusCode::BAD_REQUEST, detail)
    }

    /// The request is well formed, but its content is not valid (422).
    pub fn invalid(detail: impl Into<String>) -> ProblemDetails {
        ProblemDetails::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// What the request names does not exist (404).
    pub fn not_found(what: &str) -> ProblemDetails {
        ProblemDetails::new(StatusCode::NOT_FOUND, format!("there is no {what}"))
    }

    /// A grid or position has an illegal move (422).
    pub fn illegal_move(number: usize, detail: impl Into<String>) -> ProblemDetails {
        ProblemDetails {
            kind: "urn:morpion:illegal-move".to_owned(),
            title: "Illegal move".to_owned(),
            number: Some(number),
            ..ProblemDetails::invalid(detail)
        }
    }
}

/// A defect. The client learns that there is one; the log says what it is.
#[derive(Debug, Clone)]
pub struct Defect(pub String);

/// Why a handler refuses a request.
#[derive(Debug)]
pub enum ApiFailure {
    /// The request cannot be answered, or not at present.
    Problem(Box<ProblemDetails>),
    /// The daemon has a defect.
    Defect(Defect),
}

impl From<ProblemDetails> for ApiFailure {
    fn from(problem: ProblemDetails) -> ApiFailure {
        ApiFailure::Problem(Box::new(problem))
    }
}

impl From<Refusal> for ApiFailure {
    fn from(refusal: Refusal) -> ApiFailure {
        let status = match &refusal {
            Refusal::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Refusal::NotFound(_) => StatusCode::NOT_FOUND,
            Refusal::Conflict(_) => StatusCode::CONFLICT,
            Refusal::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Internal(text) => return ApiFailure::Defect(Defect(text.clone())),
        };
        ProblemDetails::new(status, refusal.to_string()).into()
    }
}

impl IntoResponse for ProblemDetails {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl IntoResponse for ApiFailure {
    fn into_response(self) -> Response {
        match self {
            ApiFailure::Problem(problem) => problem.into_response(),
            ApiFailure::Defect(defect) => {
                let problem = ProblemDetails::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "the daemon has a defect or its store is damaged: its log says more",
                );
                let mut response = problem.into_response();
                response.extensions_mut().insert(defect);
                response
            }
        }
    }
}

/// Writes the problem of a response, if it has one, into its body.
pub fn finish(mut response: Response, method: &axum::http::Method, path: &str) -> Response {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let mut problem = response.extensions_mut().remove::<ProblemDetails>().unwrap_or_else(|| match status {
        StatusCode::NOT_FOUND => ProblemDetails::not_found("such path: /api/v1/openapi.json lists all paths"),
        StatusCode::METHOD_NOT_ALLOWED => ProblemDetails::new(
            status,
            format!("{method} is not allowed here: the header Allow lists the allowed methods"),
        ),
        _ => ProblemDetails::new(status, "the request cannot be answered"),
    });
    problem.instance = Some(path.to_owned());
    let bytes = serde_json::to_vec(&problem).unwrap_or_default();
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER));
    }
    *response.body_mut() = if method == axum::http::Method::HEAD { Body::empty() } else { Body::from(bytes) };
    response
}
