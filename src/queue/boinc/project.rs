//! What a BOINC project has to know of the application: templates of workunits and results, the description of a
//! version of the program, scripts by which the server's programs call this one, and lines for its configuration.

use std::path::{Path, PathBuf};

/// The version of BOINC's interface that the application has: the client of such a version shares a file with it.
const INTERFACE: &str = "7.20.0";

/// How a project calls the application, and what its units may take.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// Short name of the application.
    pub app: String,
    /// Name of the application for people.
    pub title: String,
    /// Number of the version, as BOINC counts: 100 for 1.00.
    pub version: u32,
    /// The platform of the program, as BOINC calls it.
    pub platform: String,
    /// Most memory of a unit, in bytes.
    pub memory: u64,
    /// What a unit takes, in floating-point operations: an estimate.
    pub operations: f64,
    /// Seconds within which a result is expected.
    pub deadline: u64,
    /// Results that have to agree.
    pub quorum: u32,
    /// Path of this program on the server.
    pub program: PathBuf,
    /// Directory that the daemon shares with the server.
    pub spool: PathBuf,
}

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    /// Path below the project's directory.
    pub path: String,
    /// What is in it.
    pub text: String,
    /// It is a program.
    pub executable: bool,
}

/// A text as it stands in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A path as a word of a shell.
fn word(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

impl Project {
    /// Name of the program's file in the project. It names the version, since such a file never changes.
    pub fn program_file(&self) -> String {
        format!("{}_{}_{}", self.app, self.version, self.platform)
    }

    /// The files that are written. The program itself goes to the directory of `version.xml`.
    pub fn files(&self) -> Vec<ProjectFile> {
        let Project { app, .. } = self;
        let file = |path: String, text: String| ProjectFile { path, text, executable: false };
        let script = |name: &str, command: &str| ProjectFile {
            path: format!("bin/{app}_{name}"),
            text: format!(
                "#!/bin/sh\nexec {} boinc {command} --spool {} \"$@\"\n",
                word(&self.program),
                word(&self.spool)
            ),
            executable: true,
        };
        vec![
            file(format!("templates/{app}_in"), self.input_template()),
            file(format!("templates/{app}_out"), OUTPUT_TEMPLATE.to_owned()),
            file(format!("{}/version.xml", self.version_directory()), self.version_file()),
            file("anonymous/app_info.xml".to_owned(), self.anonymous()),
            file("project.xml.part".to_owned(), self.project_part()),
            file("config.xml.part".to_owned(), self.config_part()),
            script("make_work", "make-work"),
            script("validate", "validate"),
            script("assimilate", "assimilate"),
        ]
    }

    /// Where the program and its description go.
    pub fn version_directory(&self) -> String {
        format!("apps/{}/{}.{:02}/{}", self.app, self.version / 100, self.version % 100, self.platform)
    }

    /// A workunit. Limits are far above what is expected: a client ends what goes beyond them.
    fn input_template(&self) -> String {
        let Project { memory, operations, deadline, quorum, .. } = self;
        let attempts = quorum + 5;
        format!(
            "<input_template>\n\
             <file_info>\n    <number>0</number>\n</file_info>\n\
             <workunit>\n    \
             <file_ref>\n        <file_number>0</file_number>\n        <open_name>in</open_name>\n    </file_ref>\n    \
             <command_line>boinc run --memory {memory}</command_line>\n    \
             <rsc_fpops_est>{operations:e}</rsc_fpops_est>\n    \
             <rsc_fpops_bound>{:e}</rsc_fpops_bound>\n    \
             <rsc_memory_bound>{}</rsc_memory_bound>\n    \
             <rsc_disk_bound>1000000000</rsc_disk_bound>\n    \
             <delay_bound>{deadline}</delay_bound>\n    \
             <min_quorum>{quorum}</min_quorum>\n    \
             <target_nresults>{quorum}</target_nresults>\n    \
             <max_error_results>{attempts}</max_error_results>\n    \
             <max_total_results>{}</max_total_results>\n    \
             <max_success_results>{attempts}</max_success_results>\n\
             </workunit>\n\
             </input_template>\n",
            operations * 1000.0,
            // Beside the table of a solver there is the program itself.
            memory + (512 << 20),
            2 * attempts,
        )
    }

    fn version_file(&self) -> String {
        format!(
            "<version>\n    <file>\n        <physical_name>{}</physical_name>\n        <main_program/>\n    \
             </file>\n    <api_version>{INTERFACE}</api_version>\n</version>\n",
            escaped(&self.program_file())
        )
    }

    /// For a volunteer who brings his own program.
    fn anonymous(&self) -> String {
        let (app, file) = (escaped(&self.app), escaped(&self.program_file()));
        format!(
            "<app_info>\n\
             <app>\n    <name>{app}</name>\n    <user_friendly_name>{}</user_friendly_name>\n</app>\n\
             <file_info>\n    <name>{file}</name>\n    <executable/>\n</file_info>\n\
             <app_version>\n    <app_name>{app}</app_name>\n    <version_num>{}</version_num>\n    \
             <platform>{}</platform>\n    <api_version>{INTERFACE}</api_version>\n    \
             <file_ref>\n        <file_name>{file}</file_name>\n        <main_program/>\n    </file_ref>\n\
             </app_version>\n\
             </app_info>\n",
            escaped(&self.title),
            self.version,
            escaped(&self.platform),
        )
    }

    fn project_part(&self) -> String {
        format!(
            "<app>\n    <name>{}</name>\n    <user_friendly_name>{}</user_friendly_name>\n</app>\n",
            escaped(&self.app),
            escaped(&self.title)
        )
    }

    fn config_part(&self) -> String {
        let app = escaped(&self.app);
        let daemon = |command: &str| format!("    <daemon>\n        <cmd>{command}</cmd>\n    </daemon>\n");
        let compare = if self.quorum > 1 {
            format!(" --compare_script \"{app}_validate files files2\"")
        } else {
            String::new()
        };
        let daemons = [
            daemon(&format!("{app}_make_work --project .. --app {app} --every 10s")),
            daemon(&format!("script_validator --app {app} --init_script \"{app}_validate files\"{compare}")),
            daemon(&format!("script_assimilator --app {app} --script \"{app}_assimilate wu_name files\"")),
        ];
        format!("<daemons>\n{}</daemons>\n", daemons.concat())
    }
}

/// What the result of a workunit is: one file.
const OUTPUT_TEMPLATE: &str = "\
<output_template>
<file_info>
    <name><OUTFILE_0/></name>
    <generated_locally/>
    <upload_when_present/>
    <max_nbytes>268435456</max_nbytes>
    <url><UPLOAD_URL/></url>
</file_info>
<result>
    <file_ref>
        <file_name><OUTFILE_0/></file_name>
        <open_name>out</open_name>
    </file_ref>
</result>
</output_template>
";

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> Project {
        Project {
            app: "morpion".to_owned(),
            title: "Morpion <Solitaire>".to_owned(),
            version: 104,
            platform: "x86_64-pc-linux-gnu".to_owned(),
            memory: 1 << 30,
            operations: 1e13,
            deadline: 86_400,
            quorum: 1,
            program: "/opt/it's/morpion".into(),
            spool: "/srv/spool".into(),
        }
    }

    fn text(project: &Project, path: &str) -> String {
        project.files().into_iter().find(|file| file.path == path).expect("it is written").text
    }

    #[test]
    fn a_quorum_is_compared_and_more_results_are_made() {
        let one = project();
        let two = Project { quorum: 2, ..project() };
        assert!(!text(&one, "config.xml.part").contains("--compare_script"));
        assert!(text(&two, "config.xml.part").contains("--compare_script \"morpion_validate files files2\""));
        assert!(text(&two, "templates/morpion_in").contains("<min_quorum>2</min_quorum>"));
        assert!(text(&one, "templates/morpion_in").contains("<rsc_fpops_bound>1e16</rsc_fpops_bound>"));
    }

    #[test]
    fn texts_are_escaped_and_scripts_quote_their_paths() {
        let app_info = text(&project(), "anonymous/app_info.xml");
        assert!(app_info.contains("Morpion &lt;Solitaire&gt;"), "{app_info}");
        let script = text(&project(), "bin/morpion_validate");
        assert_eq!(script, "#!/bin/sh\nexec '/opt/it'\\''s/morpion' boinc validate --spool '/srv/spool' \"$@\"\n");
        assert_eq!(project().version_directory(), "apps/morpion/1.04/x86_64-pc-linux-gnu");
    }
}
