//! `morpion job submit prove`: the flags of a proof become a request.

use super::submit::{TermFlags, scalar, send};
use crate::cli::client::Connection;
use crate::cli::flags::{FlagHelp, SettingFlags};
use crate::cli::positions::read_text_file;
use crate::core::quantity::parse_duration;
use crate::core::setting::SettingInfo;
use crate::daemon::view::{JobLimits, JobRequest};
use crate::jobs::prove_settings::ProveSettings;
use crate::jobs::reading::{GivenSetting, SettingSource};
use anyhow::Context;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// The flags of a proof.
#[derive(Debug, clap::Args)]
pub struct SubmitProof {
    #[command(flatten)]
    pub asked: SettingFlags<ProveSettings>,
    #[command(flatten)]
    pub(super) terms: TermFlags,
    /// Longest running time (90, 60s, 5m, 2h); default: until it is proved
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(super) time: Option<f64>,
    /// Most workers at once; default: all of the daemon
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) threads: Option<u32>,
    /// Print the daemon's JSON document of the job
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// The settings with the text of the grid in the place of the name of its file: the daemon may run elsewhere.
pub(super) fn with_hull(mut given: Vec<GivenSetting>) -> anyhow::Result<Vec<GivenSetting>> {
    for one in given.iter_mut().filter(|one| one.name == "hull") {
        let text = read_text_file(Path::new(&one.text))?;
        let text = text.with_context(|| format!("{}: there is no such file", one.text))?;
        let file = std::mem::replace(&mut one.text, text);
        one.source = SettingSource::Content { file };
    }
    Ok(given)
}

impl SubmitProof {
    /// The request that the flags stand for.
    ///
    /// # Errors
    /// If they make no sense, or the file of the grid cannot be read.
    pub fn request(&self) -> anyhow::Result<JobRequest> {
        let given = with_hull(self.asked.given.clone())?;
        // Mistakes are told here.
        ProveSettings::job(&given)?;
        let TermFlags { name, priority, weight, all_iterations, disk, after, at, .. } = &self.terms;
        Ok(JobRequest {
            kind: "prove".to_owned(),
            name: name.clone(),
            priority: *priority,
            weight: *weight,
            limits: JobLimits {
                seconds: self.time,
                iterations: *all_iterations,
                workers: self.threads,
                memory: None,
                disk: *disk,
            },
            settings: given.iter().map(|one| (one.name.to_owned(), scalar(&one.text))).collect(),
            start: None,
            grids: Vec::new(),
            after: *after,
            not_before: *at,
        })
    }

    /// Submits it.
    ///
    /// # Errors
    /// As [`SubmitProof::request`]; or if no daemon answers, or it refuses.
    pub fn send(&self, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
        send(&self.request()?, self.terms.idempotency_key.as_deref(), self.json, &self.connection, out)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The settings of a proof are listed with those of the job.
impl FlagHelp for ProveSettings {
    fn heading(_: &SettingInfo) -> &'static str {
        "Proof"
    }

    fn note(info: &SettingInfo) -> String {
        if info.unset.is_empty() { String::new() } else { format!("[default: {}]", info.unset) }
    }
}
