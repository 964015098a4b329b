//! The daemon: takes jobs, shares the threads among them, keeps all of it durable, and answers over HTTP.
//!
//! [`service::Service`] is what the daemon does, as a trait without HTTP in it; the API, its tests and the page know nothing
//! else, and [`scheduler`] is what does it. [`view`] holds the values that go over the wire. tokio and axum live in this
//! folder only.

pub mod api;
mod course;
pub mod directory;
pub mod grids;
pub mod kinds;
pub mod object;
mod records;
pub mod scheduler;
pub mod service;
pub mod serving;
pub mod solutions;
pub mod tokens;
pub mod ui;
pub mod view;
