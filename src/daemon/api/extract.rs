//! Reading requests and writing responses, strictly: unknown parameters, other content types and numbers out of range
//! are refused with a text that says what would be right.

use super::problem::{ApiFailure, ProblemDetails};
use crate::daemon::object::Object;
use crate::daemon::service::Page;
use axum::body::Bytes;
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Items of a page, if the request does not say.
const USUAL: usize = 100;

/// Most items of a page.
const MOST: usize = 1000;

/// Longest cursor, in bytes.
const LONGEST_CURSOR: usize = 256;

/// The parameters after the question mark.
pub struct QueryParts<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryParts<T> {
    type Rejection = ApiFailure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiFailure> {
        let query = Query::<T>::try_from_uri(&parts.uri);
        let text = |error: &axum::extract::rejection::QueryRejection| {
            let text = error.body_text();
            text.trim_start_matches("Failed to deserialize query string: ").to_owned()
        };
        query.map(|Query(value)| QueryParts(value)).map_err(|e| ProblemDetails::malformed(text(&e)).into())
    }
}

/// The variable parts of the path.
pub struct PathParts<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathParts<T> {
    type Rejection = ApiFailure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiFailure> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(PathParts(value)),
            Err(error) => Err(ProblemDetails::malformed(error.body_text()).into()),
        }
    }
}

/// The page of a list that a request asks for.
///
/// # Errors
/// If the limit or the cursor is out of range.
pub fn page(limit: Option<usize>, cursor: Option<String>) -> Result<Page, ApiFailure> {
    let limit = limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        return Err(ProblemDetails::malformed(format!("limit is {limit}: expected 1 to {MOST}")).into());
    }
    if cursor.as_ref().is_some_and(|cursor| cursor.len() > LONGEST_CURSOR) {
        return Err(ProblemDetails::malformed("the cursor is not valid: expected `next` of the page before").into());
    }
    Ok(Page { limit, cursor })
}

/// The media type of a request's body, in lower case and without parameters. A charset other than UTF-8 is refused.
fn media_type(headers: &HeaderMap) -> Result<Option<String>, ApiFailure> {
    let refuse = |text: &str| Err(ProblemDetails::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, text).into());
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return refuse("the header Content-Type is given more than once");
    }
    let Ok(value) = value.to_str() else { return refuse("the header Content-Type is not text") };
    let mut parts = value.split(';').map(|part| part.trim().to_ascii_lowercase());
    let media_type = parts.next().unwrap_or_default();
    for parameter in parts {
        if !matches!(parameter.as_str(), "" | "charset=utf-8" | "charset=\"utf-8\"") {
            return refuse("the charset must be UTF-8, and the content type takes no other parameter");
        }
    }
    Ok(Some(media_type))
}

/// The media type of a request's body, which must be one of these.
///
/// # Errors
/// If it is another one.
pub fn require_type<'a>(headers: &HeaderMap, expected: &[&'a str]) -> Result<&'a str, ApiFailure> {
    let found = media_type(headers)?;
    expected.iter().find(|&&e| found.as_deref() == Some(e)).copied().ok_or_else(|| {
        let found = found.map_or("it is missing".to_owned(), |found| format!("it is {found:?}"));
        let text = format!("the content type must be {}; {found}", expected.join(" or "));
        ProblemDetails::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, text).into()
    })
}

/// The JSON object in a request's body.
///
/// # Errors
/// If the content type is another one, or the body is not JSON of this form.
pub fn json<T: DeserializeOwned>(headers: &HeaderMap, body: &Bytes) -> Result<T, ApiFailure> {
    require_type(headers, &["application/json"])?;
    serde_json::from_slice(body).map(|Object(value)| value).map_err(|error| {
        let text = format!("the body is not as expected: {error}");
        match error.classify() {
            serde_json::error::Category::Data => ProblemDetails::invalid(text).into(),
            _ => ProblemDetails::malformed(text).into(),
        }
    })
}

/// Checks that a request has no body.
///
/// # Errors
/// If it has one.
pub fn nothing(body: &Bytes) -> Result<(), ApiFailure> {
    if body.is_empty() { Ok(()) } else { Err(ProblemDetails::malformed("this request takes no body").into()) }
}

/// A JSON document as a response.
pub struct JsonDocument<T>(pub T);

impl<T: Serialize> IntoResponse for JsonDocument<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => typed("application/json", bytes),
            Err(error) => ApiFailure::Defect(super::problem::Defect(error.to_string())).into_response(),
        }
    }
}

/// A response with a media type.
pub fn typed(media_type: &'static str, bytes: impl Into<Bytes>) -> Response {
    let content_type = (header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    ([content_type], bytes.into()).into_response()
}

/// The media type among `offered` that the client prefers; the first one if it has no preference.
///
/// # Errors
/// If it accepts none of them.
pub fn accepted<'a>(headers: &HeaderMap, offered: &[&'a str]) -> Result<&'a str, ApiFailure> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<(&str, f32)> = values.flat_map(|value| value.split(',')).map(range).collect();
    if ranges.is_empty() {
        return offered.first().copied().ok_or_else(|| ProblemDetails::malformed("nothing is offered").into());
    }
    let mut best: Option<(f32, &'a str)> = None;
    for &offer in offered {
        let quality = quality(&ranges, offer);
        if quality > 0.0 && best.is_none_or(|(most, _)| quality > most) {
            best = Some((quality, offer));
        }
    }
    best.map(|(_, offer)| offer).ok_or_else(|| {
        ProblemDetails::new(
            StatusCode::NOT_ACCEPTABLE,
            format!("the header Accept allows none of the available types: {}", offered.join(", ")),
        )
        .into()
    })
}

/// A media range and its quality.
fn range(text: &str) -> (&str, f32) {
    let mut parts = text.split(';').map(str::trim);
    let media_range = parts.next().unwrap_or_default();
    let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse().ok());
    (media_range, quality.unwrap_or(0.0))
}

/// The quality of the most specific range that includes a media type.
fn quality(ranges: &[(&str, f32)], offer: &str) -> f32 {
    let family = offer.split('/').next().unwrap_or_default();
    let precision = |range: &str| match range {
        "*/*" => Some(0),
        range if range.strip_suffix("/*") == Some(family) => Some(1),
        range if range.eq_ignore_ascii_case(offer) => Some(2),
        _ => None,
    };
    let fitting = ranges.iter().filter_map(|&(range, quality)| Some((precision(range)?, quality)));
    fitting.max_by_key(|&(precision, _)| precision).map_or(0.0, |(_, quality)| quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_what_they_like_most() {
        let offered = ["application/json", "text/plain", "image/png"];
        let choose = |accept: &str| {
            let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_str(accept).unwrap())]);
            accepted(&headers, &offered).ok()
        };
        for (accept, expected) in [
            ("*/*", Some("application/json")),
            ("image/png", Some("image/png")),
            ("image/*", Some("image/png")),
            ("text/html, text/plain;q=0.5, */*;q=0.1", Some("text/plain")),
            ("application/json;q=0, */*", Some("text/plain")),
            ("IMAGE/PNG", Some("image/png")),
            ("text/html", None),
            ("nonsense;q=x", None),
        ] {
            assert_eq!(choose(accept), expected, "{accept}");
        }
        assert_eq!(accepted(&HeaderMap::new(), &offered).ok(), Some("application/json"));
    }

    #[test]
    fn content_types_are_strict() {
        let with =
            |value: &str| HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_str(value).unwrap())]);
        for good in ["application/json", "Application/JSON; charset=UTF-8", "application/json;"] {
            assert!(require_type(&with(good), &["application/json"]).is_ok(), "{good}");
        }
        for bad in
            ["text/plain", "application/json; charset=latin1", "application/jsonx", "", "application/json; x=y"]
        {
            assert!(require_type(&with(bad), &["application/json"]).is_err(), "{bad}");
        }
        assert!(require_type(&HeaderMap::new(), &["application/json"]).is_err());
    }
}
