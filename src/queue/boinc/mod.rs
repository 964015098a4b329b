//! Units that volunteers compute, by way of BOINC (D. Anderson, 2004): a project's server hands out *workunits*, the
//! client on a volunteer's computer runs the application of the project, and the server has results validated and
//! assimilated.
//!
//! - [`app`] is the application. It finds its unit in a [`slot`], and talks with the client by [`channels`].
//! - [`hub`] is the daemon's side. It takes units out of the queue, and puts them into a [`spool`]. Programs of the
//!   server give them to the server from there, and put results back ([`judge`] passes them).
//! - [`project`] writes what the server has to know of the application.
//! - [`package`] is how units and results look as files.
//!
//! The format of the channels and files that belong to BOINC is documented at
//! <https://github.com/BOINC/boinc/wiki>; none of its code is used.

pub mod app;
pub mod channels;
pub mod hub;
pub mod judge;
pub mod package;
pub mod project;
pub mod slot;
pub mod spool;
