//! `morpion job submit prove`: the flags of a proof become a request.

use super::submit::{TermFlags, scalar, send};
use crate::cli::client::Connection;
use crate::cli::flags::{FlagHelp, SettingFlags};
use crate::cli::positions::read_text_file;
use crate::core::quantity::parse_duration;
use crate::core::setting::SettingInfo;
use crate::daemon::view::{JobLimits, JobRequest};
use crate::jobs::prove_settings::ProveSettings;
use crate::jobs::reading::SettingSource;
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
    terms: TermFlags,
    /// Longest running time (90, 60s, 5m, 2h); default: until it is proved
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<f64>,
    /// Most workers at once; default: all of the daemon
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Option<u32>,
    /// Print the daemon's JSON document of the job
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

impl SubmitProof {
    /// The request that the flags stand for.
    ///
    /// # Errors
    /// If they make no sense, or the file of the grid cannot be read.
    pub fn request(&self) -> anyhow::Result<JobRequest> {
        let mut given = self.asked.given.clone();
        for one in given.iter_mut().filter(|one| one.name == "hull") {
            // The daemon may run elsewhere, so the text of the grid is sent.
            let text = read_text_file(Path::new(&one.text))?;
            let text = text.with_context(|| format!("{}: there is no such file", one.text))?;
            let file = std::mem::replace(&mut one.text, text);
            one.source = SettingSource::Content { file };
        }
        // Mistakes are told here.
        ProveSettings::job(&given)?;
        let TermFlags { name, priority, weight, all_iterations, disk, .. } = &self.terms;
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
        })
    }

    /// Submits it.
    ///
    /// # Errors
    /// As [`SubmitProof::request`]; or if no daemon answers, or it refuses.
    pub fn send(&self, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
        send(&self.request()?, &self.terms, self.json, &self.connection, out)?;
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
