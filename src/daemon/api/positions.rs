//! `/api/v1/position`: positions of two-player games, for a person who plays on the page, the machine's moves, and
//! what moves are worth. Nothing is stored.

use super::extract::{JsonDocument, json};
use super::problem::{ApiFailure, ProblemDetails};
use super::state::Handle;
use crate::daemon::positions::NoPosition;
use crate::daemon::view::{
    AnalysisRequest, ChosenMoveView, MoveRequest, PositionAnalysisView, PositionRequest, PositionView,
};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Most moves of a request: no game that a person plays on these boards is longer.
const MOST_MOVES: usize = 1000;

/// The position of the settings of a solver job, after some moves, with its legal moves. An illegal move is refused
/// with its number.
#[utoipa::path(post, path = "/api/v1/position", tag = "jobs", request_body = PositionRequest, responses(
    (status = 200, body = PositionView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn position(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: PositionRequest = json(&headers, &body)?;
    bounded(&request.moves)?;
    let found = shared.call_heavy(move |shared| Ok(shared.service.position(request))).await?;
    answer(found)
}

/// The move that the machine makes in such a position. The answer comes when the time of the request is used up, or
/// before. Few searches run at a time; others wait for them.
#[utoipa::path(post, path = "/api/v1/position/move", tag = "jobs", request_body = MoveRequest, responses(
    (status = 200, body = ChosenMoveView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn chosen_move(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: MoveRequest = json(&headers, &body)?;
    bounded(&request.moves)?;
    let found = shared.call_thinking(move |shared, stop| Ok(shared.service.chosen_move(request, stop))).await?;
    answer(found)
}

/// What the best moves of such a position are worth. The answer comes when the time of the request is used up, or
/// before. Few searches run at a time; others wait for them.
#[utoipa::path(post, path = "/api/v1/position/analysis", operation_id = "position_analysis", tag = "jobs",
    request_body = AnalysisRequest, responses(
    (status = 200, body = PositionAnalysisView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn analysis(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: AnalysisRequest = json(&headers, &body)?;
    bounded(&request.moves)?;
    let found = shared.call_thinking(move |shared, stop| Ok(shared.service.analysis(request, stop))).await?;
    answer(found)
}

fn bounded(moves: &[String]) -> Result<(), ApiFailure> {
    if moves.len() > MOST_MOVES {
        return Err(ProblemDetails::invalid(format!("moves: expected at most {MOST_MOVES}")).into());
    }
    Ok(())
}

fn answer(found: Result<impl Serialize, NoPosition>) -> Result<Response, ApiFailure> {
    match found {
        Ok(view) => Ok(JsonDocument(view).into_response()),
        Err(NoPosition::Settings(why) | NoPosition::NoOpponent(why)) => Err(ProblemDetails::invalid(why).into()),
        Err(NoPosition::Move(number, why)) => Err(ProblemDetails::illegal_move(number, why).into()),
        Err(NoPosition::Over) => Err(ProblemDetails::invalid("the game is over").into()),
    }
}
