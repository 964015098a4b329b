//! The log of a process that runs for weeks: lines on standard error, each with a time, a level and one sentence; as
//! JSON if asked. Under systemd the journal notes the time, and gets the level in its own form.

use super::grid_input::plain;
use super::streams::MessageQueue;
use super::translation::language;
use crate::language::Language;
use crate::runner::clock::{now, utc};
use anyhow::Context;
use std::fmt;
use std::io::{self, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, MakeWriter};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// Which messages the log has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LogLevel {
    /// What makes the process end.
    Error,
    /// Also what somebody should look at.
    Warn,
    /// Also what jobs do, changes that clients ask for, and first uses of tokens.
    Info,
    /// Also every request, and what other machines do.
    Debug,
    /// Also what only a programmer asks for.
    Trace,
}

/// How a message is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LogFormat {
    /// A line of text.
    Text,
    /// A line of JSON, with the numbers and names in the message as fields.
    Json,
}

/// The flags of the log.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct LogFlags {
    /// Which messages the log on standard error has.
    #[arg(long, value_name = "LEVEL", value_enum, default_value = "info")]
    log_level: LogLevel,
    /// How they are written.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    log_format: LogFormat,
}

/// The log. Dropping it waits until all messages are written, though not for long.
pub struct ProcessLog(MessageQueue);

impl LogFlags {
    /// The language of the messages about the process itself. Those that programs read are English.
    pub fn language(self) -> Language {
        if self.log_format == LogFormat::Text { language() } else { Language::English }
    }

    /// Begins the log of this process.
    ///
    /// # Errors
    /// If the system refuses a thread, or there is a log.
    pub fn begin(self) -> anyhow::Result<ProcessLog> {
        let queue = MessageQueue::start()?;
        let level = match self.log_level {
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
            LogLevel::Trace => LevelFilter::TRACE,
        };
        // Of other crates only what is wrong.
        let which = Targets::new().with_target("morpion", level).with_default(level.min(LevelFilter::WARN));
        let out = LogWriter(queue.clone());
        let layer = tracing_subscriber::fmt::layer().with_writer(out);
        let layer = match self.log_format {
            LogFormat::Text => layer.event_format(TextLines::new()).boxed(),
            LogFormat::Json => layer.json().flatten_event(true).with_target(false).with_timer(Utc).boxed(),
        };
        let subscriber = tracing_subscriber::registry().with(layer.with_filter(which));
        tracing::subscriber::set_global_default(subscriber).context("the process has a log already")?;
        Ok(ProcessLog(queue))
    }
}

impl Drop for ProcessLog {
    fn drop(&mut self) {
        self.0.wait();
    }
}

/// Hands each message to the queue of messages.
#[derive(Clone)]
struct LogWriter(MessageQueue);

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = LogWriter;

    fn make_writer(&'a self) -> LogWriter {
        self.clone()
    }
}

impl Write for LogWriter {
    /// Called once per message.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.say(String::from_utf8_lossy(bytes).trim_end().to_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Utc;

impl tracing_subscriber::fmt::time::FormatTime for Utc {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        writer.write_str(&utc(now()))
    }
}

/// A message as a line: `2026-11-25T12:00:00Z info  job 3 is running`.
struct TextLines {
    /// Whether systemd reads the lines: it takes the level from a number in front, and notes the time.
    for_journal: bool,
}

impl TextLines {
    fn new() -> TextLines {
        TextLines { for_journal: std::env::var_os("JOURNAL_STREAM").is_some() }
    }

    fn line(&self, level: Level, text: &str) -> String {
        let (name, number) = match level {
            Level::ERROR => ("error", 3),
            Level::WARN => ("warn", 4),
            Level::INFO => ("info", 6),
            Level::DEBUG => ("debug", 7),
            Level::TRACE => ("trace", 7),
        };
        // Names of jobs and texts of clients must not command the terminal.
        let text = plain(text);
        if self.for_journal { format!("<{number}>{text}") } else { format!("{} {name:5} {text}", utc(now())) }
    }
}

impl<S, N> FormatEvent<S, N> for TextLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut message = MessageText::default();
        event.record(&mut message);
        writeln!(writer, "{}", self.line(*event.metadata().level(), &message.0))
    }
}

/// The sentence of an event. Its other fields are in the sentence, too.
#[derive(Default)]
struct MessageText(String);

impl Visit for MessageText {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_time_level_and_one_sentence() {
        let lines = TextLines { for_journal: false };
        let line = lines.line(Level::WARN, "job 3: two\nlines \u{1b}[31m");
        let (time, rest) = line.split_once(' ').unwrap();
        assert!(time.len() == 20 && time.ends_with('Z'), "{line}");
        assert_eq!(rest, "warn  job 3: two\\nlines \\u{1b}[31m");
        let journal = TextLines { for_journal: true };
        assert_eq!(journal.line(Level::INFO, "job 3 is running"), "<6>job 3 is running");
    }
}
