//! Who may use the daemon: checks of the address that a request names, of the page that it comes from, and of its
//! token; and the headers that make a browser careful.
//!
//! A page of another site cannot reach the daemon through a browser on this machine. If it uses a name of its own
//! that resolves to this machine (DNS rebinding), [`address`] refuses. If it uses the daemon's name (cross-site
//! request forgery), [`origin`] refuses. There is no CORS: no other site may ever read an answer.

use super::problem::{ApiFailure, Defect, ProblemDetails};
use super::state::ApiState;
use crate::daemon::tokens::{Role, Token, token_of};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;
use std::net::IpAddr;
use std::sync::Arc;

/// What the page may load: files of the daemon itself, no inline script.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Documents and pictures load nothing. Pictures contain styles.
const DATA_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/// Whether a path belongs to the API, not to the page.
fn is_api(path: &str) -> bool {
    path.starts_with("/api") || path.starts_with("/metrics")
}

/// The value of a header that is given once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Checks that the request is meant for this daemon: its address is in numbers, `localhost`, or a name that it knows.
pub fn address(uri: &Uri, headers: &HeaderMap, hosts: &[String]) -> Result<(), ApiFailure> {
    let wrong = |text: String| Err(ProblemDetails::new(StatusCode::MISDIRECTED_REQUEST, text).into());
    let Some(authority) = single(headers, &header::HOST).and_then(|host| host.parse::<Authority>().ok()) else {
        return Err(ProblemDetails::malformed(
            "the header Host is missing, is given more than once, or is not valid",
        )
        .into());
    };
    if uri.authority().is_some_and(|named| named != &authority) {
        return Err(ProblemDetails::malformed("the header Host and the address name different hosts").into());
    }
    let host = authority.host();
    let number = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
    let known = number
        || host.eq_ignore_ascii_case("localhost")
        || hosts.iter().any(|name| name.eq_ignore_ascii_case(host.trim_end_matches('.')));
    if known && !authority.as_str().contains('@') {
        return Ok(());
    }
    wrong(format!("this daemon is not called {host:?}: use its address, or begin it with that name"))
}

/// Checks that the request does not come from a page of another site.
pub fn origin(uri: &Uri, headers: &HeaderMap) -> Result<(), ApiFailure> {
    let refuse = |text: &str| Err(ProblemDetails::new(StatusCode::FORBIDDEN, text).into());
    if headers.contains_key(header::ORIGIN) {
        let host = single(headers, &header::HOST).unwrap_or_default();
        let origin = single(headers, &header::ORIGIN).unwrap_or_default();
        let own = ["http://", "https://"].iter().filter_map(|scheme| origin.strip_prefix(scheme));
        if !own.into_iter().any(|origin| origin.eq_ignore_ascii_case(host)) {
            return refuse("the request comes from a page of another site (header Origin)");
        }
    }
    // Links on other sites may lead to the page, but to nothing else.
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if is_api(uri.path()) && !matches!(site, None | Some(b"same-origin" | b"none")) {
        return refuse("the request comes from a page of another site (header Sec-Fetch-Site)");
    }
    Ok(())
}

/// Checks the token, if the daemon needs one, and says which it is. The files of the page hold no secrets and need no
/// token, so that a person can enter a token there.
pub async fn token(
    shared: &Arc<ApiState>,
    method: &Method,
    path: &str,
    headers: &HeaderMap,
) -> Result<Option<Token>, ApiFailure> {
    let Some(store) = shared.options.tokens.clone().filter(|_| is_api(path)) else { return Ok(None) };
    let unknown = |text: &str| ApiFailure::from(ProblemDetails::new(StatusCode::UNAUTHORIZED, text));
    let bearer = single(headers, &header::AUTHORIZATION).and_then(|value| {
        let (scheme, secret) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim().to_owned())
    });
    let secret = bearer.ok_or_else(|| unknown("a token is needed: Authorization: Bearer morpion_..."))?;
    // Without a place among the calls: whoever fills these must not keep everybody's token from being read.
    let read = tokio::task::spawn_blocking(move || store.tokens().map_err(|error| error.to_string())).await;
    let tokens =
        read.map_err(|error| error.to_string()).flatten().map_err(|error| ApiFailure::Defect(Defect(error)))?;
    let token = token_of(&tokens, &secret)
        .ok_or_else(|| unknown("this token is unknown: it was never made, or it was revoked"))?;
    if allowed(token.role, method, path) {
        return Ok(Some(token.clone()));
    }
    let text =
        format!("the token {} ({}) does not allow this: its role is {}", token.name, token.id, token.role.name());
    Err(ProblemDetails::new(StatusCode::FORBIDDEN, text).into())
}

/// The path at which the machine makes a move.
const MOVE: &str = "/api/v1/position/move";

/// The path at which moves are valued.
const ANALYSIS: &str = "/api/v1/position/analysis";

/// The path at which tactical questions are answered.
const SOLVE: &str = "/api/v1/editor/solve";

/// Whether requests of the method POST at this path compute something and change nothing.
pub fn computes(path: &str) -> bool {
    matches!(path, "/api/v1/grids/check" | "/api/v1/board" | "/api/v1/position" | MOVE | ANALYSIS)
        || path.starts_with("/api/v1/editor/")
}

fn allowed(role: Role, method: &Method, path: &str) -> bool {
    let reads = matches!(*method, Method::GET | Method::HEAD);
    match role {
        Role::Operate => true,
        // The machine's moves and answers take much of its time, so they are for those who may change things.
        Role::Read => reads || computes(path) && !matches!(path, MOVE | ANALYSIS | SOLVE),
        Role::Worker => reads && matches!(path, "/api/v1/health" | "/api/v1/workers" | "/api/v1/units"),
    }
}

/// Adds the headers that every response has.
pub fn protect(mut response: Response, path: &str) -> Response {
    let status = response.status();
    let headers = response.headers_mut();
    let policy = if is_api(path) { DATA_POLICY } else { PAGE_POLICY };
    let mut set = |name: HeaderName, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_SECURITY_POLICY, policy);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::REFERRER_POLICY, "no-referrer");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    if status == StatusCode::UNAUTHORIZED {
        set(header::WWW_AUTHENTICATE, "Bearer realm=\"morpion\"");
    }
    if !status.is_success() || !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let header = |&(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(header).collect()
    }

    #[test]
    fn only_known_names_are_answered() {
        let uri = Uri::from_static("/api/v1/jobs");
        let hosts = ["Hunter.example".to_owned()];
        let known = |host: &str| address(&uri, &headers(&[("host", host)]), &hosts).is_ok();
        for host in [
            "localhost",
            "LOCALHOST:7878",
            "127.0.0.1:1",
            "[::1]:7878",
            "192.168.1.5",
            "hunter.example:80",
            "hunter.example.",
        ] {
            assert!(known(host), "{host}");
        }
        for host in
            ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "user@localhost", "a b", "", "[::1"]
        {
            assert!(!known(host), "{host}");
        }
        assert!(address(&uri, &HeaderMap::new(), &hosts).is_err());
        let absolute = Uri::from_static("http://evil.example/api/v1/jobs");
        assert!(address(&absolute, &headers(&[("host", "localhost")]), &hosts).is_err());
    }

    #[test]
    fn other_sites_are_refused() {
        let (api, page) = (Uri::from_static("/api/v1/jobs"), Uri::from_static("/"));
        let from = |uri, name, value| origin(uri, &headers(&[("host", "localhost:7878"), (name, value)])).is_ok();
        assert!(from(&api, "origin", "http://localhost:7878") && from(&api, "origin", "https://LOCALHOST:7878"));
        for other in ["http://localhost:7879", "http://evil.example", "null", "", "file://", "localhost:7878"] {
            assert!(!from(&api, "origin", other), "{other}");
        }
        assert!(from(&api, "sec-fetch-site", "same-origin") && from(&api, "sec-fetch-site", "none"));
        assert!(!from(&api, "sec-fetch-site", "cross-site") && !from(&api, "sec-fetch-site", "same-site"));
        assert!(from(&page, "sec-fetch-site", "cross-site"));
    }

    #[test]
    fn roles_are_told_apart() {
        let jobs = "/api/v1/jobs";
        assert!(allowed(Role::Operate, &Method::POST, jobs) && allowed(Role::Read, &Method::GET, jobs));
        assert!(!allowed(Role::Read, &Method::POST, jobs) && !allowed(Role::Read, &Method::POST, "/api/v1/grids"));
        assert!(allowed(Role::Read, &Method::POST, "/api/v1/board"));
        assert!(allowed(Role::Read, &Method::POST, "/api/v1/position"));
        assert!(allowed(Role::Read, &Method::POST, "/api/v1/editor/read"));
        for path in [MOVE, SOLVE] {
            assert!(!allowed(Role::Read, &Method::POST, path) && allowed(Role::Operate, &Method::POST, path));
        }
        assert!(allowed(Role::Worker, &Method::GET, "/api/v1/units") && !allowed(Role::Worker, &Method::GET, jobs));
    }
}
