//! Standard output and standard error: the one place that opens them. Data goes to standard output through
//! [`DataOut`], whose errors say which stream failed. Messages go to standard error by [`say!`](say), which drops
//! what cannot be written: no search ends and no state is lost because nobody reads its messages.

use crossbeam_channel::{Sender, bounded};
use std::fmt::Arguments;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};
use std::time::Duration;

/// Writes a line to standard error, as `eprintln!` does, but never panics.
macro_rules! say {
    ($($text:tt)*) => { $crate::cli::streams::message(format_args!($($text)*)) };
}
pub(in crate::cli) use say;

/// Writes a line to standard error, if it can be written.
pub fn message(text: Arguments) {
    // In one piece: lines of several threads and processes are not mixed.
    let _ = io::stderr().lock().write_all(format!("{text}\n").as_bytes());
}

/// Messages of a process that has to go on if nobody reads them: a thread writes them, and while it cannot, the
/// newest ones are dropped.
#[derive(Clone)]
pub struct MessageQueue(Sender<QueuedMessage>);

enum QueuedMessage {
    Line(String),
    /// Disconnected when all lines before it are written.
    Written(Sender<()>),
}

impl MessageQueue {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn start() -> io::Result<MessageQueue> {
        const MOST: usize = 256;
        let (messages, queued) = bounded(MOST);
        std::thread::Builder::new().name("messages".to_owned()).spawn(move || {
            queued.iter().for_each(|queued| match queued {
                QueuedMessage::Line(line) => message(format_args!("{line}")),
                QueuedMessage::Written(done) => drop(done),
            });
        })?;
        Ok(MessageQueue(messages))
    }

    /// Has a line written, or drops it.
    pub fn say(&self, line: String) {
        let _ = self.0.try_send(QueuedMessage::Line(line));
    }

    /// Waits until all lines are written, but not longer than a second.
    pub fn wait(&self) {
        const PATIENCE: Duration = Duration::from_secs(1);
        let (done, written) = bounded::<()>(0);
        if self.0.send_timeout(QueuedMessage::Written(done), PATIENCE).is_ok() {
            let _ = written.recv_timeout(PATIENCE);
        }
    }
}

/// Whether standard error is a terminal.
pub fn messages_are_seen() -> bool {
    io::stderr().is_terminal()
}

/// Whether standard output is a terminal.
pub fn data_are_seen() -> bool {
    io::stdout().is_terminal()
}

/// Columns of the terminal that standard output is, if it is one.
pub fn data_width() -> Option<usize> {
    #[cfg(unix)]
    return rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col));
    #[cfg(not(unix))]
    None
}

/// Whether NO_COLOR asks for texts without colours.
pub fn no_colours() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// What an error of standard output holds inside, to be told from errors of other files and sockets.
#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written: {0}")]
struct DataError(io::Error);

/// Standard output, buffered.
pub struct DataOut(BufWriter<StdoutLock<'static>>);

impl DataOut {
    /// Locks standard output for the rest of the process.
    pub fn open() -> DataOut {
        DataOut(BufWriter::new(io::stdout().lock()))
    }
}

fn named(error: io::Error) -> io::Error {
    match error.kind() {
        // Is tried again by those who write.
        ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, DataError(error)),
    }
}

impl Write for DataOut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(named)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(named)
    }
}

/// Prints what clap has to say: help and version as data, errors as messages.
///
/// # Errors
/// If data cannot be written.
pub fn show_usage(usage: &clap::Error) -> io::Result<()> {
    let printed = usage.print();
    if usage.use_stderr() { Ok(()) } else { printed.and_then(|()| io::stdout().flush()).map_err(named) }
}

/// Whether the error is that the reader of standard output has gone (`morpion records list | head -1`).
pub fn reader_has_gone(error: &(dyn std::error::Error + 'static)) -> bool {
    let of_data = |error: &io::Error| error.get_ref().is_some_and(|inner| inner.is::<DataError>());
    let mut cause = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe && of_data(error)) {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn only_a_reader_of_standard_output_may_go() {
        let gone = || io::Error::from(ErrorKind::BrokenPipe);
        let ours = anyhow::Error::from(named(gone())).context("while something was done");
        assert!(reader_has_gone(&*ours), "{ours:#}");
        assert!(!reader_has_gone(&*anyhow::Error::from(gone()).context("a socket")));
        let full = Err::<(), _>(named(io::Error::from_raw_os_error(28))).context("the list").unwrap_err();
        assert!(!reader_has_gone(&*full));
        let text = format!("{full:#}");
        assert!(text.starts_with("the list: standard output cannot be written: No space left"), "{text}");
    }
}
