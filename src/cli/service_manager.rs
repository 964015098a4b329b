//! What systemd is told of a process that it manages: when it is ready, how it stands, that it still works, and that
//! it ends. Without systemd nothing is told.

use crossbeam_channel::{Receiver, never, tick};
use std::time::{Duration, Instant};

/// Time between two reports of how the process stands, at most.
const REPORTS: Duration = Duration::from_secs(20);

/// The service manager, if one waits for messages.
#[derive(Clone)]
pub struct ServiceManager {
    beats: Receiver<Instant>,
}

impl ServiceManager {
    /// The one that the environment names.
    pub fn find() -> ServiceManager {
        let beats = match pace() {
            Some(pace) => tick(pace),
            None => never(),
        };
        ServiceManager { beats }
    }

    /// Receives whenever [`ServiceManager::works`] is due.
    pub fn beats(&self) -> &Receiver<Instant> {
        &self.beats
    }

    /// The process answers its clients.
    pub fn ready(&self, status: &str) {
        told(ManagerNews::Ready, status);
    }

    /// The process still works, and stands so. Without this, systemd starts a process again that has a watchdog.
    pub fn works(&self, status: &str) {
        told(ManagerNews::Works, status);
    }

    /// The process has begun to end.
    pub fn stopping(&self, status: &str) {
        told(ManagerNews::Stopping, status);
    }
}

enum ManagerNews {
    Ready,
    Works,
    Stopping,
}

/// Half of the time within which systemd has to hear of the process, and not more than [`REPORTS`].
#[cfg(unix)]
fn pace() -> Option<Duration> {
    std::env::var_os("NOTIFY_SOCKET")?;
    Some(sd_notify::watchdog_enabled().map_or(REPORTS, |patience| (patience / 2).min(REPORTS)))
}

#[cfg(unix)]
fn told(report: ManagerNews, status: &str) {
    use sd_notify::NotifyState;
    let state = match report {
        ManagerNews::Ready => NotifyState::Ready,
        ManagerNews::Works => NotifyState::Watchdog,
        ManagerNews::Stopping => NotifyState::Stopping,
    };
    if let Err(error) = sd_notify::notify(&[state, NotifyState::Status(status)]) {
        tracing::debug!("systemd cannot be told: {error}");
    }
}

#[cfg(not(unix))]
fn pace() -> Option<Duration> {
    None
}

#[cfg(not(unix))]
fn told(_: ManagerNews, _: &str) {}
