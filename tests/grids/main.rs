//! Files of grids: what is read and written, and the commands for them.

mod commands;
mod files;
