//! The HTTP API over real sockets, with a service in memory behind it: every route, every error, hostile clients.

mod commands;
mod crowds;
mod daemon;
mod editor;
mod events;
mod fake;
mod hostile;
mod http;
mod load;
mod openings;
mod random;
mod routes;
