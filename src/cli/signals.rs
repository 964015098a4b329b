//! Ctrl-C and other signals to stop: the first one asks the hunt to stop, the second one ends the process at once.
//!
//! A hangup (the terminal closes) counts too, unless the process was started with hangups ignored, as `nohup` does:
//! then it hunts on.
//!
//! Unix systems are supported: Linux, where everything is tested, and others that have these signals. A program that
//! could not be asked to stop would lose work, so there is none for other systems.

use super::terminal::WindowHolder;
use crate::runner::Interrupt;
use crossbeam_channel::{Receiver, unbounded};
use std::io;

#[cfg(not(unix))]
compile_error!("morpion runs on Unix systems (Linux is tested): it needs their signals to stop without losing work");

/// Exit status of a process that was asked twice to stop: what shells show for one that Ctrl-C ended.
pub const ENDED_AT_ONCE: i32 = 130;

/// Watches for signals from now on, in a thread of its own.
///
/// # Errors
/// If the system refuses.
pub fn watch(interrupt: Interrupt) -> io::Result<()> {
    watch_with(interrupt, None)
}

/// The same, and the window of the terminal is given back before a signal stops (Ctrl-Z) or ends the process.
///
/// # Errors
/// If the system refuses.
pub fn watch_with(interrupt: Interrupt, window: Option<WindowHolder>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    let hangup = if hangups_are_ignored() { None } else { Some(SIGHUP) };
    let others = if window.is_some() { &[SIGTSTP, SIGQUIT][..] } else { &[] };
    let watched = [SIGINT, SIGTERM].into_iter().chain(hangup).chain(others.iter().copied());
    let mut signals = signal_hook::iterator::Signals::new(watched)?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let without_window = |call: &dyn Fn()| match &window {
            Some(window) => window.without(call),
            None => call(),
        };
        for signal in signals.forever() {
            if [SIGTSTP, SIGQUIT].contains(&signal) {
                without_window(&|| drop(signal_hook::low_level::emulate_default_handler(signal)));
            } else if interrupt.ask() {
                // The state on disk is whole at any moment.
                without_window(&|| std::process::exit(ENDED_AT_ONCE));
            }
        }
    })?;
    Ok(())
}

/// How a daemon is asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// By Ctrl-C: when the running units end.
    Gently,
    /// By a signal to terminate: now.
    Now,
}

/// The signals that come from now on. A hangup says nothing: a daemon has no terminal.
///
/// # Errors
/// If the system refuses.
pub fn stops() -> io::Result<Receiver<StopSignal>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let (sender, receiver) = unbounded();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever().filter(|&signal| signal != SIGHUP) {
            let _ = sender.send(if signal == SIGINT { StopSignal::Gently } else { StopSignal::Now });
        }
    })?;
    Ok(receiver)
}

/// Whether the process was started with hangups ignored. Where the system does not say so in `/proc`, hangups are
/// taken for ignored: watched for, they would no longer be.
fn hangups_are_ignored() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return true };
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_none_or(|mask| mask & 1 == 1)
}
