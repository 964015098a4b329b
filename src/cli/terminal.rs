//! The whole window of a terminal, for `morpion top` and for hunts: taken, drawn on, and given back as it was.
//!
//! It is given back at the end, before the message of a panic, and before a signal stops or ends the process. After a
//! panic that the program survives, and after the process goes on in the foreground, the next drawing takes it again.
//!
//! What is drawn goes through a duplicate of standard output. [`DataOut`](super::streams::DataOut) keeps the other
//! one locked, so a thread that panics could not write to it.

use crate::core::panic::is_expected;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};
use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use std::fs::File;
use std::io::{self, BufWriter, Write, stdin, stdout};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Longest time that whoever gives the window back waits for a drawing that is under way.
const PATIENCE: Duration = Duration::from_millis(200);

/// What becomes of the keys while the window is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// The program reads each key, also Ctrl-C.
    Read,
    /// They are not shown; those that send signals, such as Ctrl-C, still do.
    Unseen,
}

/// Whether the environment names a terminal that can be drawn on.
pub fn can_be_drawn_on() -> bool {
    std::env::var("TERM").is_ok_and(|name| !name.is_empty() && name != "dumb")
}

/// Whether the terminal can show braille patterns: the console of Linux cannot.
pub fn has_braille() -> bool {
    std::env::var("TERM").is_ok_and(|name| name != "linux")
}

/// A terminal whose window is drawn on.
pub struct TerminalWindow {
    terminal: Terminal<CrosstermBackend<BufWriter<File>>>,
    holder: WindowHolder,
}

/// Gives a window back, from any thread.
#[derive(Clone)]
pub struct WindowHolder(Arc<Shared>);

struct Shared {
    output: File,
    keys: Keys,
    /// Locked during a drawing.
    drawing: Mutex<()>,
    /// While the window is taken: the settings of the terminal before, if it has some.
    taken: Mutex<Option<Option<Termios>>>,
    /// How many want it not to be taken now.
    kept_back: AtomicU32,
}

/// What [`Shared::take`] found.
enum Taking {
    Before,
    Now,
    Refused,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl TerminalWindow {
    /// For the terminal behind standard output. The first drawing takes the window.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(keys: Keys) -> io::Result<TerminalWindow> {
        let output = || stdout().as_fd().try_clone_to_owned().map(File::from);
        let shared = Arc::new(Shared {
            output: output()?,
            keys,
            drawing: Mutex::new(()),
            taken: Mutex::new(None),
            kept_back: AtomicU32::new(0),
        });
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::new(output()?)))?;
        let (print, holder) = (std::panic::take_hook(), WindowHolder(shared));
        let of_panic = holder.clone();
        std::panic::set_hook(Box::new(
            move |panic| {
                if is_expected() { print(panic) } else { of_panic.without(|| print(panic)) }
            },
        ));
        Ok(TerminalWindow { terminal, holder })
    }

    /// What gives the window back from another thread.
    pub fn holder(&self) -> WindowHolder {
        self.holder.clone()
    }

    /// Draws the whole window, at its present size. Nothing is drawn while the process is in the background.
    ///
    /// # Errors
    /// If the terminal cannot be written.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame)) -> io::Result<()> {
        let _drawing = lock(&self.holder.0.drawing);
        match self.holder.0.take()? {
            Taking::Refused => return Ok(()),
            // Whatever is on the window now, everything is drawn.
            Taking::Now => {
                let size = self.terminal.size()?;
                self.terminal.resize(Rect::new(0, 0, size.width, size.height))?;
            }
            Taking::Before => {}
        }
        self.terminal.draw(render).map(drop)
    }

    /// Rings the bell.
    pub fn ring(&self) {
        let _ = (&self.holder.0.output).write_all(b"\x07");
    }
}

impl Drop for TerminalWindow {
    fn drop(&mut self) {
        self.holder.give_back();
    }
}

impl WindowHolder {
    /// Gives the window back, if it is taken. The next drawing takes it again.
    pub fn give_back(&self) {
        let Shared { drawing, .. } = &*self.0;
        // A drawing that panicked never ends.
        let end = Instant::now() + PATIENCE;
        let mut guard = drawing.try_lock().ok();
        while guard.is_none() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(2));
            guard = drawing.try_lock().ok();
        }
        self.0.give_back();
    }

    /// Gives it back for the time of a call.
    pub fn without<T>(&self, call: impl FnOnce() -> T) -> T {
        self.0.kept_back.fetch_add(1, Ordering::SeqCst);
        self.give_back();
        let result = call();
        self.0.kept_back.fetch_sub(1, Ordering::SeqCst);
        result
    }
}

impl Shared {
    fn take(&self) -> io::Result<Taking> {
        let mut taken = lock(&self.taken);
        if taken.is_some() {
            return Ok(Taking::Before);
        }
        // In the background, a change of the settings would stop the process. A terminal that does not control the
        // process has no foreground.
        let in_background = tcgetpgrp(&self.output).is_ok_and(|group| group != getpgrp());
        if in_background || self.kept_back.load(Ordering::SeqCst) > 0 {
            return Ok(Taking::Refused);
        }
        let before = tcgetattr(stdin()).ok();
        if let Some(before) = &before {
            let mut settings = before.clone();
            match self.keys {
                Keys::Read => settings.make_raw(),
                Keys::Unseen => settings.local_modes.remove(LocalModes::ECHO),
            }
            tcsetattr(stdin(), OptionalActions::Now, &settings)?;
        }
        *taken = Some(before);
        execute!(&self.output, EnterAlternateScreen, Hide)?;
        Ok(Taking::Now)
    }

    fn give_back(&self) {
        let Some(before) = lock(&self.taken).take() else { return };
        // Nothing can be done about errors: the terminal may have gone.
        let _ = execute!(&self.output, LeaveAlternateScreen, Show);
        if let Some(before) = before {
            let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
        }
    }
}
