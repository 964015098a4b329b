//! The HTTP API: `/api/v1`, `/metrics` and the page, over a [`Service`](super::service::Service).
//!
//! A request is checked in this order: its address and origin (`guard`), its token, its body (a bound on size and
//! time), and the number of requests at work (`app`). Then the router calls a handler: `jobs`, `archive`, `events`,
//! `positions`, `editor`, `totals`, `metrics`. Whatever refuses a request, the answer is a problem document
//! (`problem`). The service blocks, so it is called on threads of its own (`state`). `server` holds the sockets,
//! `connections` their places, and `accepting` what is wrong when none can be accepted.

mod accepting;
mod app;
mod archive;
mod backups;
mod connections;
mod credit;
mod editor;
mod events;
mod extract;
mod guard;
mod jobs;
mod metrics;
mod options;
mod positions;
mod problem;
mod prometheus;
mod repeats;
mod request_log;
mod server;
mod state;
mod strategies;
mod totals;

pub use app::Api;
pub use options::{Log, ServerLimits, ServerOptions};
pub use problem::ProblemDetails;
pub use server::{ServeError, admit, serve};
