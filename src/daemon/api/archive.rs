//! `/api/v1/grids`, `/api/v1/archive` and `/api/v1/board`.
//!
//! A grid that a client sends is untrusted text. It is read, and replayed by the engine and by the referee, before it
//! is shown or stored.

use super::extract::{JsonDocument, PathParts, QueryParts, accepted, json, page, require_type, typed};
use super::problem::{ApiFailure, Defect, ProblemDetails};
use super::state::{ApiState, Handle};
use crate::daemon::grids::{compare as compared, is_key, moves, record, to_move, view};
use crate::daemon::service::{ArchiveOrder, ClusterFilter, GridFilter, Refusal};
use crate::daemon::view::{
    ArchiveView, BoardRequest, BoardView, ComparisonView, GridSort, GridView, JobId, Listing, VERSION,
};
use crate::morpion::geometry::{Move, cross};
use crate::morpion::position::Position;
use crate::morpion::referee;
use crate::morpion::symmetry::SymmetryFilter;
use crate::morpion::variant::Variant;
use crate::notation::clusters::{MOST_DIFFERENCE, USUAL_DIFFERENCE};
use crate::notation::format::{self, GridFormat, GridReadError};
use crate::notation::grid::Grid;
use crate::render::grid::{GridPictureOptions, PictureFormat, render};
use crate::render::theme::Theme;
use crate::runner::clock::now;
use crate::with_rules;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// Longer side of a picture in pixels: the default, and the largest. Larger pictures take a processor for seconds.
const USUAL_SIZE: u32 = 1400;
const LARGEST_SIZE: u32 = 2000;

/// Which grids are listed, and in which order.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct GridsQuery {
    /// Grids of this variant.
    variant: Option<Variant>,
    /// Grids with at least this many moves.
    min_score: Option<u32>,
    /// Grids with at most this many moves.
    max_score: Option<u32>,
    /// Grids that this job found.
    job: Option<JobId>,
    /// Grids that were found or sent at this time or later: seconds since 1970 (UTC).
    #[param(minimum = 0)]
    since: Option<f64>,
    /// Grids with such symmetries, up to the symmetries of the cross.
    symmetry: Option<SymmetryFilter>,
    /// Only grids that no known record equals or contains.
    new: Option<bool>,
    /// What they are sorted by, the greatest first; default score.
    sort: Option<GridSort>,
    /// The least come first.
    reverse: Option<bool>,
    /// Nearly equal grids are put together: grids that differ in at most so many lines, 1 to 20, and what they
    /// connect. For each cluster one grid is listed, with `cluster`.
    #[param(minimum = 1, maximum = 20)]
    clusters: Option<u32>,
    /// The grids of the cluster that has this grid, each by itself. Without `clusters`, 3 lines may differ.
    #[param(pattern = "^[0-9a-f]{16}$")]
    cluster: Option<String>,
    /// Most items, 1 to 1000; default 100.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// `next` of the page before.
    #[param(min_length = 1, max_length = 256)]
    cursor: Option<String>,
}

/// The grids of the archive, without their moves; the longest first, if nothing else is asked for.
#[utoipa::path(get, path = "/api/v1/grids", operation_id = "list_grids", tag = "grids", params(GridsQuery), responses(
    (status = 200, body = Listing<GridView>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list(State(shared): Handle, QueryParts(asked): QueryParts<GridsQuery>) -> Result<Response, ApiFailure> {
    let clusters = clusters(&asked)?;
    let page = page(asked.limit, asked.cursor)?;
    if asked.since.is_some_and(|since| !since.is_finite() || since < 0.0) {
        return Err(ProblemDetails::malformed("since: expected seconds since 1970, such as 1.7e9".to_owned()).into());
    }
    let filter = GridFilter {
        variant: asked.variant,
        min_score: asked.min_score,
        max_score: asked.max_score,
        job: asked.job,
        since: asked.since,
        symmetry: asked.symmetry,
        new: asked.new.unwrap_or(false),
        order: ArchiveOrder { by: asked.sort.unwrap_or_default(), reverse: asked.reverse.unwrap_or(false) },
        clusters,
    };
    let takes_long = filter.clusters.is_some();
    let list = move |shared: &ApiState| Ok(shared.service.grids(&filter, &page)?);
    let listing = if takes_long { shared.call_heavy(list).await? } else { shared.call(list).await? };
    Ok(JsonDocument(listing).into_response())
}

/// How grids are to be put together, if they are.
fn clusters(asked: &GridsQuery) -> Result<Option<ClusterFilter>, ApiFailure> {
    if asked.clusters.is_none() && asked.cluster.is_none() {
        return Ok(None);
    }
    let difference = asked.clusters.unwrap_or(USUAL_DIFFERENCE);
    if !(1..=MOST_DIFFERENCE).contains(&difference) {
        return Err(ProblemDetails::malformed(format!("clusters: expected 1 to {MOST_DIFFERENCE}")).into());
    }
    if asked.cluster.as_ref().is_some_and(|key| !is_key(key)) {
        return Err(ProblemDetails::malformed("cluster: expected a key, 16 hexadecimal digits".to_owned()).into());
    }
    Ok(Some(ClusterFilter { difference, of: asked.cluster.clone() }))
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Form)]
pub enum GridForm {
    /// A `GridView` document with the moves.
    Json,
    /// Pentasol text, one move a line.
    Pentasol,
    /// MSR text, compact.
    Msr,
    /// A PNG picture.
    Png,
    /// An SVG picture.
    Svg,
}

/// Colours of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Colours)]
pub enum PictureColours {
    /// On a white ground.
    Light,
    /// On a dark ground.
    Dark,
}

/// The form of the answer.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ShowGridQuery {
    /// The form; the default is what the header Accept says.
    format: Option<GridForm>,
    /// Longer side of a picture in pixels, 300 to 2000; default 1400.
    #[param(minimum = 300, maximum = 2000)]
    size: Option<u32>,
    /// Colours of a picture; default light.
    theme: Option<PictureColours>,
}

/// A grid of the archive, or a known record.
#[utoipa::path(get, path = "/api/v1/grids/{key}", operation_id = "show_grid", tag = "grids",
    params(("key" = String, Path, description = "16 hexadecimal digits.", pattern = "^[0-9a-f]{16}$"), ShowGridQuery),
    responses(
        (status = 200, content((GridView = "application/json"), (String = "text/plain"), (String = "image/svg+xml"),
            (Vec<u8> = "image/png"))),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn show(
    State(shared): Handle,
    PathParts(key): PathParts<String>,
    QueryParts(asked): QueryParts<ShowGridQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiFailure> {
    let form = match asked.format {
        Some(form) => form,
        None => match accepted(&headers, &["application/json", "text/plain", "image/svg+xml", "image/png"])? {
            "text/plain" => GridForm::Pentasol,
            "image/svg+xml" => GridForm::Svg,
            "image/png" => GridForm::Png,
            _ => GridForm::Json,
        },
    };
    let size = asked.size.unwrap_or(USUAL_SIZE);
    if !(300..=LARGEST_SIZE).contains(&size) {
        return Err(ProblemDetails::malformed(format!("size is {size}: expected 300 to {LARGEST_SIZE}")).into());
    }
    let theme = if asked.theme == Some(PictureColours::Dark) { Theme::Dark } else { Theme::Light };
    let (view, grid) = shared.call(move |shared| find(shared, &key)).await?;
    let name = format!("{}-{}-{}", view.variant, view.score, view.key);
    let (mut response, extension) = match form {
        GridForm::Json => return Ok(JsonDocument(view).into_response()),
        GridForm::Pentasol => (text(&grid, GridFormat::Pentasol)?, "txt"),
        GridForm::Msr => (text(&grid, GridFormat::MsrCompact)?, "msr"),
        GridForm::Png | GridForm::Svg => {
            let (picture, media_type) = if form == GridForm::Png {
                (PictureFormat::Png, "image/png")
            } else {
                (PictureFormat::Svg, "image/svg+xml")
            };
            let draw = move |_: &ApiState| {
                render(&grid, picture, GridPictureOptions { size, theme })
                    .map_err(|error| ApiFailure::Defect(Defect(error.to_string())))
            };
            (typed(media_type, shared.call_heavy(draw).await?), picture.extension())
        }
    };
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::try_from(format!("inline; filename=\"{name}.{extension}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    // The grid of a key never changes.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    Ok(response)
}

/// Removes a grid from the archive, also one that cannot be shown. A job that found it keeps it in its folder.
#[utoipa::path(delete, path = "/api/v1/grids/{key}", operation_id = "remove_grid", tag = "grids",
    params(("key" = String, Path, description = "16 hexadecimal digits.", pattern = "^[0-9a-f]{16}$")),
    responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn remove(State(shared): Handle, PathParts(key): PathParts<String>) -> Result<Response, ApiFailure> {
    if !is_key(&key) {
        return Err(ProblemDetails::not_found("grid of this name: a key has 16 hexadecimal digits").into());
    }
    shared.call(move |shared| Ok(shared.service.remove_grid(&key)?)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn text(grid: &Grid, format: GridFormat) -> Result<Response, ApiFailure> {
    let text = format::write(grid, format).map_err(|error| ApiFailure::Defect(Defect(error.to_string())))?;
    Ok(typed("text/plain; charset=utf-8", text))
}

/// The grid with this key, from the archive or from the known records.
fn find(shared: &ApiState, key: &str) -> Result<(GridView, Grid), ApiFailure> {
    if !is_key(key) {
        return Err(ProblemDetails::not_found("grid of this name: a key has 16 hexadecimal digits").into());
    }
    match shared.service.grid(key) {
        Err(Refusal::NotFound(what)) => {
            let known = shared.catalogue.records().find(|known| crate::daemon::grids::key(&known.grid) == key);
            let grid = known.ok_or_else(|| ProblemDetails::not_found(&what))?.grid.clone();
            Ok((view(&grid, &shared.catalogue, 0.0), grid))
        }
        other => Ok(other?),
    }
}

/// How to read a grid.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReadGridQuery {
    /// The variant whose rules the grid follows; the default is what the text says.
    variant: Option<Variant>,
}

/// Reads a grid of any format and has the referee check it.
fn judge(headers: &HeaderMap, body: &Bytes, variant: Option<Variant>) -> Result<Grid, ApiFailure> {
    let media_type = require_type(headers, &["text/plain", "application/json"])?;
    let loaded = format::read(body, variant).map_err(|error| match error {
        GridReadError::Illegal(illegal) => ProblemDetails::illegal_move(illegal.number, illegal.to_string()),
        other => ProblemDetails::invalid(other.to_string()),
    })?;
    if media_type == "application/json" && loaded.format != GridFormat::MsrJson {
        return Err(
            ProblemDetails::malformed("the content type is application/json, but the body is not JSON").into()
        );
    }
    let grid = loaded.grid;
    if !grid.start.is_cross() {
        let start = grid.start.name();
        return Err(ProblemDetails::invalid(format!(
            "the grid begins with {start}: only grids from the cross are taken"
        ))
        .into());
    }
    referee::replay(grid.variant, &grid.moves)
        .map_err(|error| Defect(format!("engine and referee disagree on a grid that was sent: {error}")))
        .map_err(ApiFailure::Defect)?;
    Ok(grid)
}

/// Adds a grid in Pentasol or MSR to the archive.
#[utoipa::path(post, path = "/api/v1/grids", tag = "grids", params(ReadGridQuery),
    request_body(content((String = "text/plain"), (Object = "application/json"))),
    responses(
        (status = 201, body = GridView, headers(("Location" = String, description = "The grid."))),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn add(
    State(shared): Handle,
    QueryParts(asked): QueryParts<ReadGridQuery>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiFailure> {
    let grid = shared.call_heavy(move |_| judge(&headers, &body, asked.variant)).await?;
    let view = shared.call(move |shared| Ok(shared.service.add_grid(grid)?)).await?;
    let location = HeaderValue::try_from(format!("/api/v1/grids/{}", view.key));
    let mut response = (StatusCode::CREATED, JsonDocument(view)).into_response();
    if let Ok(location) = location {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Reads and checks a grid without storing it.
#[utoipa::path(post, path = "/api/v1/grids/check", tag = "grids", params(ReadGridQuery),
    request_body(content((String = "text/plain"), (Object = "application/json"))),
    responses(
        (status = 200, body = GridView),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn check(
    State(shared): Handle,
    QueryParts(asked): QueryParts<ReadGridQuery>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiFailure> {
    let seconds = now();
    let checked = move |shared: &ApiState| {
        let grid = judge(&headers, &body, asked.variant)?;
        Ok(view(&grid, &shared.catalogue, seconds))
    };
    Ok(JsonDocument(shared.call_heavy(checked).await?).into_response())
}

/// What two grids share, in the orientation that shares most lines.
#[utoipa::path(get, path = "/api/v1/grids/{a}/compare/{b}", tag = "grids",
    params(("a" = String, Path, description = "The first grid.", pattern = "^[0-9a-f]{16}$"),
        ("b" = String, Path, description = "The second grid.", pattern = "^[0-9a-f]{16}$")),
    responses(
        (status = 200, body = ComparisonView),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
        (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn compare(
    State(shared): Handle,
    PathParts((a, b)): PathParts<(String, String)>,
) -> Result<Response, ApiFailure> {
    let both = move |shared: &ApiState| {
        let ((left, a), (right, b)) = (find(shared, &a)?, find(shared, &b)?);
        compared((left, &a), (right, &b)).ok_or_else(|| {
            ProblemDetails::invalid(format!("{} and {} have lines of different lengths", a.variant, b.variant)).into()
        })
    };
    Ok(JsonDocument(shared.call(both).await?).into_response())
}

/// The number of grids by variant and score, and the known records.
#[utoipa::path(get, path = "/api/v1/archive", tag = "grids", responses(
    (status = 200, body = ArchiveView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn archive(State(shared): Handle) -> Result<Response, ApiFailure> {
    let held = |shared: &ApiState| {
        let counts = shared.service.counts()?;
        Ok(ArchiveView { v: VERSION, counts, records: shared.catalogue.records().map(record).collect() })
    };
    Ok(JsonDocument(shared.call(held).await?).into_response())
}

/// The position after some moves, with its legal moves. An illegal move is refused with its number.
#[utoipa::path(post, path = "/api/v1/board", tag = "grids", request_body = BoardRequest, responses(
    (status = 200, body = BoardView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn board(State(shared): Handle, headers: HeaderMap, body: Bytes) -> Result<Response, ApiFailure> {
    let request: BoardRequest = json(&headers, &body)?;
    Ok(JsonDocument(shared.call(move |_| position(request)).await?).into_response())
}

fn position(request: BoardRequest) -> Result<BoardView, ApiFailure> {
    let variant = request.variant;
    if request.moves.len() > variant.upper_bound() as usize {
        let bound = variant.upper_bound();
        return Err(ProblemDetails::invalid(format!("a game of {variant} has at most {bound} moves")).into());
    }
    let mut played: Vec<Move> = Vec::with_capacity(request.moves.len());
    for (number, &mv) in (1..).zip(&request.moves) {
        played.push(to_move(variant, mv).ok_or_else(|| {
            let text = format!("({},{}) {} {}", mv.x, mv.y, mv.direction, mv.shift);
            ProblemDetails::illegal_move(
                number,
                format!("move {number}: {text} is not a move of {variant} in the playing area"),
            )
        })?);
    }
    let legal = with_rules!(variant, R => Position::<R>::after(&played).map(|position| moves(position.moves())));
    let legal = legal.map_err(|(index, reason)| {
        ProblemDetails::illegal_move(index + 1, format!("move {}: {reason}", index + 1))
    })?;
    let cross = cross(variant).into_iter().map(|point| (point.x(), point.y())).collect();
    Ok(BoardView { v: VERSION, variant, cross, moves: request.moves, legal })
}
