//! Backups.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A whole backup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BackupView {
    /// Name of its folder: the time at which it was begun.
    pub name: String,
    /// When it was begun.
    pub time: f64,
    /// Version of the program that made it.
    pub version: String,
    /// Number of jobs in it.
    pub jobs: u64,
    /// Number of files.
    pub files: u64,
    /// Bytes of the files.
    pub bytes: u64,
}

/// The backups of a daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BackupsView {
    /// Version of this document.
    pub v: u32,
    /// The folder that they are in, on the machine of the daemon.
    pub directory: String,
    /// When the one was begun that is being made; null if none is.
    pub running: Option<f64>,
    /// Why the last one failed, if it did, since the daemon was started.
    pub trouble: Option<String>,
    /// Those that are whole, the newest first.
    pub items: Vec<BackupView>,
}

/// What a client asks of a backup.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupRequest {
    /// Remove older backups than the newest of this number when it is whole; at least 1. Without it all are kept.
    #[serde(default)]
    pub keep: Option<usize>,
}
