//! `morpion token`: who may use a daemon that other machines can reach.

use super::streams::say;
use crate::cli::grid_input::plain;
use crate::daemon::tokens::{Role, Token, TokenFile, TokenStore, make};
use crate::runner::clock;
use anyhow::Context;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Make, list and revoke the tokens that a daemon asks for on any address but a loopback one.
///
/// A token is shown once, when it is made; the daemon keeps only a hash of it. Changes take effect at once, even
/// while the daemon runs.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, clap::Subcommand)]
enum TokenCommand {
    /// Make a token and print it
    Create {
        /// A name for people, such as that of the machine it is for
        name: String,
        /// What its bearer may do: see everything (read), everything (operate), or what a worker on another machine
        /// needs
        #[arg(long, value_enum, default_value_t = Role::Read)]
        role: Role,
        #[command(flatten)]
        place: StateFlag,
    },
    /// List the tokens, without their secrets
    List {
        /// Print a JSON document
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: StateFlag,
    },
    /// Revoke a token
    Remove {
        /// Its id, or its name if only one has it
        id: String,
        #[command(flatten)]
        place: StateFlag,
    },
}

#[derive(Debug, clap::Args)]
struct StateFlag {
    /// State directory of the daemon
    #[arg(long, value_name = "DIR", default_value = "morpion-state")]
    state: PathBuf,
}

impl StateFlag {
    fn file(&self) -> TokenFile {
        TokenFile::in_directory(&self.state)
    }
}

/// Runs the command.
///
/// # Errors
/// If the tokens cannot be read or written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.command {
        TokenCommand::Create { name, role, place } => {
            let directory = place.state.display();
            make_private(&place.state).with_context(|| format!("{directory}: cannot be made"))?;
            let created = clock::now() as u64;
            let (token, secret) = make(&name, role, (rand::random(), rand::random()), created)?;
            let id = token.id.clone();
            place.file().add(token)?;
            say!("token {id} for {}, role {}; it is shown this once:", plain(&name), role.name());
            writeln!(out, "{secret}")?;
        }
        TokenCommand::List { json, place } => list(&place.file().tokens()?, json, out)?,
        TokenCommand::Remove { id, place } => {
            let token = place.file().remove(&id)?;
            say!("token {} for {} is taken back", token.id, plain(&token.name));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes the directory for its owner alone, if it is missing.
fn make_private(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

fn list(tokens: &[Token], json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    if json {
        let shown = tokens.iter().map(|token| {
            serde_json::json!({"id": token.id, "name": token.name, "role": token.role, "created": token.created})
        });
        let document = serde_json::json!({ "v": 1, "items": shown.collect::<Vec<_>>() });
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
        return Ok(());
    }
    if tokens.is_empty() {
        say!("no tokens");
    }
    for token in tokens {
        let made = clock::utc(token.created as f64);
        writeln!(out, "{}  {:<7}  {made}  {}", token.id, token.role.name(), plain(&token.name))?;
    }
    Ok(())
}
