//! The daemon: accepts jobs, shares the workers among them, keeps everything durable, and answers over HTTP.
//!
//! [`service::Service`] says what the daemon does, as a trait without HTTP. The API, its tests and the page know only
//! this trait; [`scheduler`] implements it, and its documentation describes the life of a job. [`view`] holds the
//! values that are sent and received. Only this folder uses tokio and axum.

pub mod analyse_request;
pub mod api;
pub mod backup;
pub mod check_request;
mod course;
pub mod credit;
pub mod directory;
pub mod editor;
pub mod folder;
pub mod grids;
pub mod hunt_request;
pub mod kinds;
pub mod match_request;
pub mod memory;
pub mod mine_request;
pub mod object;
pub mod plan_request;
pub mod positions;
pub mod prove_request;
mod records;
pub mod scheduler;
pub mod selfplay_request;
pub mod service;
pub mod serving;
pub mod solutions;
pub mod solve_request;
pub mod tactics_request;
pub mod tokens;
pub mod tune_request;
pub mod ui;
pub mod view;
