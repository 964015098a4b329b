//! `/api/v1/editor`: what the editor of game trees of Go needs of the daemon. Nothing is stored.

use super::extract::{JsonDocument, json, require_type};
use super::problem::{ApiFailure, ProblemDetails};
use super::state::{ApiState, Handle};
use crate::daemon::editor::{self, EditorError};
use crate::daemon::view::{
    AddPatternRequest, EditedAnswerView, EditedNodeRequest, EditedPositionView, EditedQuestionRequest,
    EditedScoreRequest, EditedScoreView, ExampleProblemsView, JosekiRequest, JosekiView, MatchPatternsRequest,
    MatchedPatternsView, PatternsRequest, PatternsView, SgfTextView, SgfTreesRequest, SgfTreesView,
};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;

/// Media types of SGF.
const SGF_TYPES: [&str; 2] = ["application/x-go-sgf", "text/plain"];

/// The trees of a file in SGF. A text that cannot be read is refused, with line and column where these are known.
#[utoipa::path(post, path = "/api/v1/editor/read", tag = "editor",
    request_body(content((String = "application/x-go-sgf"), (String = "text/plain"))),
    responses(
        (status = 200, body = SgfTreesView),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn read_trees(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    require_type(&headers, &SGF_TYPES)?;
    heavy(&shared, move || editor::read(&body)).await
}

/// The text of trees in SGF.
#[utoipa::path(post, path = "/api/v1/editor/write", tag = "editor", request_body = SgfTreesRequest, responses(
    (status = 200, body = SgfTextView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn write_trees(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: SgfTreesRequest = json(&headers, &body)?;
    heavy(&shared, move || editor::write(&request)).await
}

/// The position at a node of a tree, with its legal moves.
#[utoipa::path(post, path = "/api/v1/editor/position", tag = "editor", request_body = EditedNodeRequest, responses(
    (status = 200, body = EditedPositionView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn node_position(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: EditedNodeRequest = json(&headers, &body)?;
    heavy(&shared, move || editor::position(&request)).await
}

/// The answer to a tactical question about the position at a node, with its proof. It comes within some seconds. Few
/// questions are read at a time; others wait for them. A client that no longer waits ends the reading.
#[utoipa::path(post, path = "/api/v1/editor/solve", tag = "editor", request_body = EditedQuestionRequest, responses(
    (status = 200, body = EditedAnswerView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn answer_question(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: EditedQuestionRequest = json(&headers, &body)?;
    let found = shared.call_thinking(move |_, stop| Ok(editor::answer(&request, &mut || stop())?)).await?;
    Ok(JsonDocument(found).into_response())
}

/// The position at a node, counted as a finished game. Which chains are dead or in seki is what the request says.
#[utoipa::path(post, path = "/api/v1/editor/score", tag = "editor", request_body = EditedScoreRequest, responses(
    (status = 200, body = EditedScoreView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn count_score(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: EditedScoreRequest = json(&headers, &body)?;
    heavy(&shared, move || editor::score(&request)).await
}

/// The patterns of a file in SGF, or those that come with the program.
#[utoipa::path(post, path = "/api/v1/editor/patterns", tag = "editor", request_body = PatternsRequest, responses(
    (status = 200, body = PatternsView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn pattern_file(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: PatternsRequest = json(&headers, &body)?;
    heavy(&shared, move || editor::patterns(&request)).await
}

/// A file of patterns with one more, made of the position at a node: the last one of the answer. A pattern that the
/// file has already is refused.
#[utoipa::path(post, path = "/api/v1/editor/patterns/add", tag = "editor", request_body = AddPatternRequest, responses(
    (status = 200, body = PatternsView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn add_pattern(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: AddPatternRequest = json(&headers, &body)?;
    heavy(&shared, move || editor::add_pattern(&request)).await
}

/// The patterns that fit the position at a node, for the side to move, and their moves as variations.
#[utoipa::path(post, path = "/api/v1/editor/match", tag = "editor", request_body = MatchPatternsRequest, responses(
    (status = 200, body = MatchedPatternsView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn match_patterns(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: MatchPatternsRequest = json(&headers, &body)?;
    heavy(&shared, move || editor::match_patterns(&request)).await
}

/// The moves that a dictionary of joseki has for the corners of the position at a node.
#[utoipa::path(post, path = "/api/v1/editor/joseki", tag = "editor", request_body = JosekiRequest, responses(
    (status = 200, body = JosekiView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn look_up_joseki(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: JosekiRequest = json(&headers, &body)?;
    heavy(&shared, move || editor::joseki(&request)).await
}

/// The example problems that come with the program, each as a game tree with its answers.
#[utoipa::path(get, path = "/api/v1/editor/examples", tag = "editor", responses(
    (status = 200, body = ExampleProblemsView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn example_problems(State(shared): Handle) -> Result<Response, ApiFailure> {
    heavy(&shared, || Ok(editor::examples())).await
}

async fn heavy<T: Serialize + Send + 'static>(
    shared: &Arc<ApiState>,
    call: impl FnOnce() -> Result<T, EditorError> + Send + 'static,
) -> Result<Response, ApiFailure> {
    Ok(JsonDocument(shared.call_heavy(move |_| Ok(call()?)).await?).into_response())
}

impl From<EditorError> for ApiFailure {
    fn from(error: EditorError) -> ApiFailure {
        ProblemDetails::invalid(error.to_string()).into()
    }
}
