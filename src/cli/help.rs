//! The help of the program itself: its commands by purpose, and examples. `-h` names the commands; `--help` says of
//! each what it does, and lists the flags of every strategy. Documents, manual pages and completions are made of the
//! command as clap knows it, without this arrangement.

use super::translation::{known, language, marked, t};
use crate::language::Language;
use clap::Command;
use std::fmt::Write;

/// What the help ends with.
pub const EXAMPLES: &str = marked!(
    "\
Examples:
  morpion --time 10m --dir hunts/first    hunt on 5T, with the best measured search
  morpion --variant 5D --target 82        hunt on 5D until there is a grid of 82 moves
  morpion resume hunts/first --time 1h    continue a hunt
  morpion render hunts/first/best.msr -o best.svg
  morpion play gomoku                     play against the machine
  morpion solve reversi --size 4x6        solve a two-player game
  morpion daemon                          run many jobs, with a page at http://127.0.0.1:7878"
);

/// What `-h` ends with besides.
const MORE: &str = marked!(
    "`morpion --help` says more of each command and has all flags of a hunt, those of each strategy together.\n\
     `morpion COMMAND -h` explains a command."
);

/// Widest line of help texts.
pub const WIDTH: usize = 100;

/// The commands by purpose.
const GROUPS: [(&str, &[&str]); 6] = [
    (marked!("Hunts"), &["hunt", "resume", "state", "stats", "plot", "bench"]),
    (marked!("Grids"), &["show", "verify", "identify", "convert", "render", "records", "archive", "board"]),
    (marked!("Daemon"), &["daemon", "job", "top", "grid", "credit", "backup", "token", "worker", "boinc"]),
    (marked!("Games"), &["play", "analyse", "solve", "library", "tactics", "match", "gtp", "nboard", "pbrain"]),
    (
        marked!("Research"),
        &[
            "prove",
            "plan",
            "book",
            "vcf",
            "free-start",
            "enumerate",
            "experiment",
            "branching",
            "perft",
            "speedup",
            "selfplay",
            "tune",
        ],
    ),
    (marked!("Program"), &["completions", "man", "nats-users", "help"]),
];

/// The program's command with lists by purpose in place of clap's list of commands, in lines of so many columns.
pub fn arrange(command: Command, width: usize) -> Command {
    let (short, long) = (names(), descriptions(&command, width));
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    // clap has its own heading in English.
    let heading = if language() == Language::English { "{usage-heading}".to_owned() } else { t!("Usage:") };
    command
        .mut_subcommands(|below| below.hide(true))
        .override_usage("morpion [OPTIONS]\n       morpion <COMMAND> [OPTIONS]")
        .help_template(format!(
            "{{about-with-newline}}\n{heading} {{usage}}\n\n{{before-help}}{{all-args}}{{after-help}}"
        ))
        .about(known(&about))
        .before_help(short)
        .before_long_help(long)
        .after_help(format!("{}\n\n{}", known(EXAMPLES), known(MORE)))
        .after_long_help(known(EXAMPLES))
}

/// The names of the commands, a line for each purpose.
fn names() -> String {
    let mut text = t!("Commands:");
    for (purpose, commands) in GROUPS {
        let _ = write!(text, "\n  {:10}{}", known(purpose), commands.join(", "));
    }
    text
}

/// What each command does, by purpose.
fn descriptions(program: &Command, width: usize) -> String {
    let mut text = String::new();
    for (purpose, commands) in GROUPS {
        let heading = t!("Commands: {0}", known(purpose).to_lowercase());
        let _ = writeln!(text, "{}{heading}", if text.is_empty() { "" } else { "\n" });
        for name in commands {
            let about = match program.find_subcommand(name).and_then(Command::get_about) {
                Some(about) => known(&about.to_string()),
                // clap adds it later.
                None => t!("Print the help of a command"),
            };
            let _ = writeln!(text, "  {name:13}{}", wrapped(&about, 15, width));
        }
    }
    text.trim_end().to_owned()
}

/// The text in lines of at most `width` columns, the first of which begins in column `indent`, as do all others.
fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut lines = String::new();
    let mut column = indent;
    for (at, word) in text.split_whitespace().enumerate() {
        let length = word.chars().count();
        if at > 0 && column + 1 + length > width {
            let _ = write!(lines, "\n{:indent$}", "");
            column = indent;
        } else if at > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_has_one_purpose() {
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, commands)| commands.iter().copied()).collect();
        let program = crate::cli::command();
        let mut known: BTreeSet<&str> =
            program.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
        known.insert("help");
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), known);
        assert_eq!(listed.len(), known.len(), "one is listed twice");
    }

    #[test]
    fn the_short_help_is_short() {
        let help = arrange(crate::cli::command(), 80).term_width(80).render_help().to_string();
        assert!(help.contains("Hunt:\n") && help.contains("Examples:\n") && !help.contains("--replicas"), "{help}");
        assert!(help.lines().count() <= 56, "{} lines:\n{help}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }

    #[test]
    fn the_long_help_has_the_flags_of_each_strategy_together() {
        let help = arrange(crate::cli::command(), WIDTH).term_width(WIDTH).render_long_help().to_string();
        for heading in ["Commands: games\n", "Hunt:\n", "Several strategies:\n", "Strategy dfs alone:\n"] {
            assert_eq!(help.matches(heading).count(), 1, "{heading}{help}");
        }
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        assert_eq!(wrapped("one two three", 4, 11), "one two\n    three");
        assert_eq!(wrapped("a-very-long-word b", 2, 8), "a-very-long-word\n  b");
    }
}
