//! What the log has of requests: each change with who asked for it and what came of it, each token when it is used
//! for the first time, and what was refused for want of a token. Requests that only read are logged at `debug`.

use super::guard::computes;
use super::problem::ProblemDetails;
use super::repeats::RepeatedMessages;
use crate::daemon::tokens::Token;
use axum::http::{Method, StatusCode};
use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Characters of a path, and of the reason of a refusal, that the log shows.
const LONGEST: usize = 200;

/// Where a request comes from, as an extension of it.
#[derive(Debug, Clone, Copy)]
pub struct PeerAddress(pub SocketAddr);

/// A request as the log tells it.
pub struct LoggedRequest {
    method: Method,
    path: String,
    client: Option<PeerAddress>,
    /// The token that it was allowed by; none where no token is needed, or it was not allowed.
    pub token: Option<Token>,
    begun: Instant,
}

impl LoggedRequest {
    /// A request that has just arrived.
    pub fn new(method: &Method, path: &str, client: Option<PeerAddress>, begun: Instant) -> LoggedRequest {
        LoggedRequest { method: method.clone(), path: short(path), client, token: None, begun }
    }

    fn changes(&self) -> bool {
        !matches!(self.method, Method::GET | Method::HEAD | Method::OPTIONS) && !computes(&self.path)
    }

    fn who(&self) -> String {
        let address =
            self.client.map_or_else(|| "an unknown address".to_owned(), |PeerAddress(at)| at.ip().to_string());
        match &self.token {
            Some(token) => format!("{address}, token {} ({})", token.name, token.id),
            None => address,
        }
    }
}

/// Which tokens have been used, and which refusals were told lately.
#[derive(Default)]
pub struct RequestLog {
    used: Mutex<HashSet<String>>,
    refused: RepeatedMessages,
}

impl RequestLog {
    /// Tells of a request that has been answered.
    pub fn tell(&self, request: &LoggedRequest, status: StatusCode, problem: Option<&ProblemDetails>) {
        let LoggedRequest { method, path, token, begun, .. } = request;
        let who = request.who();
        let (number, milliseconds) = (status.as_u16(), begun.elapsed().as_millis() as u64);
        let name = token.as_ref().map(|token| token.name.as_str());
        if let Some(token) = token
            && self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(token.id.clone())
        {
            let role = token.role.name();
            tracing::info!(token = token.id, name, role, "first use of the token {} ({role}): {who}", token.name);
        }
        let why = problem.map_or(String::new(), |problem| format!(": {}", short(&problem.detail)));
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::MISDIRECTED_REQUEST) {
            // Anybody can cause these, as often as they like.
            let text = format!("{method} {path} from {who} is refused: {number}{why}");
            if let Some(left_out) = self.refused.is_due(&text, Instant::now()) {
                tracing::warn!(%method, path, status = number, token = name, left_out, "{text}");
            }
        } else if request.changes() {
            tracing::info!(
                %method, path, status = number, token = name, milliseconds,
                "{method} {path} from {who}: {number} {}{why}", status.canonical_reason().unwrap_or_default()
            );
        } else {
            tracing::debug!(%method, path, status = number, token = name, milliseconds,
                "{method} {path} from {who}: {number}{why}");
        }
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
