//! Debian's own BOINC client runs the application: a unit on its way from a daemon to a volunteer and back.

use crate::daemons::program::end;
use crate::daemons::*;
use crate::project::{Project, boinc, result_file, text, undisturbed};
use crate::standin::Standin;
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Whether there is a client to test with. Without one a test says aloud that it tests nothing, unless
/// `MORPION_BOINC=required` says that there must be one.
fn is_there(test: &str) -> bool {
    let finds = |program: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    };
    let is_there = finds("boinc") && finds("boinccmd");
    if !is_there {
        assert!(
            std::env::var("MORPION_BOINC").as_deref() != Ok("required"),
            "there is no BOINC client, and {test} needs one"
        );
        eprintln!("{test}: NOT TESTED, there is no BOINC client (Debian: apt-get install boinc-client)");
    }
    is_there
}

/// A running client. Dropping it ends it, and with it its applications.
struct Client {
    process: Child,
    directory: PathBuf,
    port: u16,
    url: String,
}

impl Client {
    /// Starts one that takes part in a project with a program of its own, which the project has described.
    fn start(directory: &Path, url: &str, described: &Path) -> Client {
        let place = url.trim_start_matches("http://").trim_end_matches('/').replace(':', "_");
        let project = directory.join("projects").join(&place);
        fs::create_dir_all(&project).unwrap();
        let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
        let app_info = fs::read_to_string(described).unwrap();
        let program = project.join(crate::standin::between(&app_info, "<file_info>\n    <name>", "</name>").unwrap());
        // The client follows no link.
        if fs::hard_link(env!("CARGO_BIN_EXE_morpion"), &program).is_err() {
            fs::copy(env!("CARGO_BIN_EXE_morpion"), &program).unwrap();
        }
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(project.join("app_info.xml"), app_info).unwrap();
        write(
            &format!("account_{place}.xml"),
            &format!(
                "<account>\n<master_url>{url}</master_url>\n<authenticator>0123456789abcdef0123456789abcdef\
                 </authenticator>\n<project_name>stand-in</project_name>\n</account>\n"
            ),
        );
        write(
            "cc_config.xml",
            "<cc_config>\n<log_flags><task>1</task><file_xfer>1</file_xfer><sched_ops>1</sched_ops>\
             <task_debug>1</task_debug></log_flags>\n<options><no_gpus>1</no_gpus><skip_cpu_benchmarks>1\
             </skip_cpu_benchmarks><report_results_immediately>1</report_results_immediately><no_info_fetch>1\
             </no_info_fetch></options>\n</cc_config>\n",
        );
        write(
            "global_prefs_override.xml",
            "<global_preferences>\n<run_on_batteries>1</run_on_batteries>\n<run_if_user_active>1\
             </run_if_user_active>\n<leave_apps_in_memory>1</leave_apps_in_memory>\n<disk_interval>1</disk_interval>\n\
             <suspend_cpu_usage>0</suspend_cpu_usage>\n<cpu_usage_limit>100</cpu_usage_limit>\n\
             <max_ncpus_pct>100</max_ncpus_pct>\n<disk_max_used_pct>100</disk_max_used_pct>\n\
             <disk_min_free_gb>0</disk_min_free_gb>\n<ram_max_used_busy_pct>100</ram_max_used_busy_pct>\n\
             </global_preferences>\n",
        );
        write("gui_rpc_auth.cfg", "secret\n");
        // A port that is free now; the client takes no other.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = fs::File::create(directory.join("client.log")).unwrap();
        let mut command = Command::new("boinc");
        command.args(["--dir", ".", "--no_priority_change", "--gui_rpc_port", &port.to_string()]);
        command.current_dir(directory).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let process = command.spawn().unwrap();
        Client { process, directory: directory.to_owned(), port, url: url.to_owned() }
    }

    fn said(&self) -> String {
        fs::read_to_string(self.directory.join("client.log")).unwrap_or_default()
    }

    /// Tells it something, which it may not be ready to hear.
    fn order(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new("boinccmd");
        command.args(["--host", &format!("127.0.0.1:{}", self.port), "--passwd", "secret"]);
        command.args(arguments).current_dir(&self.directory).stdin(Stdio::null());
        command.output().is_ok_and(|output| output.status.success())
    }

    fn order_task(&self, task: &str, what: &str) {
        wait_until("the client takes an order", || self.order(&["--task", &self.url, task, what]));
    }

    /// What the application has said in its slot.
    fn application(&self) -> String {
        fs::read_to_string(self.directory.join("slots/0/stderr.txt")).unwrap_or_default()
    }

    /// Numbers of the processes that the client has started.
    fn applications(&self) -> Vec<u32> {
        let children = format!("/proc/{0}/task/{0}/children", self.process.id());
        let text = fs::read_to_string(children).unwrap_or_default();
        text.split_whitespace().filter_map(|number| number.parse().ok()).collect()
    }

    fn wait(&self, what: &str, mut ready: impl FnMut() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !ready() {
            let is_late = Instant::now() > end;
            assert!(!is_late, "waited in vain until {what}: {}\n{}", self.said(), self.application());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let applications = self.applications();
        let sent = Command::new("kill").arg("-TERM").arg(self.process.id().to_string()).status();
        let end = Instant::now() + Duration::from_secs(20);
        while sent.as_ref().is_ok_and(|status| status.success())
            && self.process.try_wait().is_ok_and(|status| status.is_none())
            && Instant::now() < end
        {
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        for application in applications {
            let _ = Command::new("kill").arg("-9").arg(application.to_string()).stderr(Stdio::null()).status();
        }
    }
}

#[test]
fn a_unit_of_a_hunt_goes_to_a_volunteer_and_back() {
    let settings =
        json!({ "strategy": "random", "max_iterations": 1_200_000, "runs": 1, "seed": 3, "keep_from": 84 });
    goes_and_returns(
        "a_unit_of_a_hunt_goes_to_a_volunteer_and_back",
        &json!({ "kind": "hunt", "settings": settings }),
    );
}

/// The web server of a project as its files describe it, and what a volunteer with a program of his own gets.
fn described(project: &Project) -> (Standin, PathBuf) {
    let (files, program) = (project.path("files"), env!("CARGO_BIN_EXE_morpion"));
    let written =
        boinc(&["project", "-o", files.to_str().unwrap(), "--spool", &project.spool(), "--program", program]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    copy_all(&files.join("templates"), &project.path("project/templates"));
    let described = files.join("anonymous/app_info.xml");
    let app_info = fs::read_to_string(&described).unwrap();
    let platform = crate::standin::between(&app_info, "<platform>", "</platform>").unwrap();
    (Standin::start(&project.path("project"), platform), described)
}

/// A proof whose units all go to a volunteer and back. What comes of it passes the checker.
#[test]
#[cfg(feature = "prove")]
fn a_proof_is_computed_by_a_volunteer() {
    if !is_there("a_proof_is_computed_by_a_volunteer") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let settings = json!({ "moves": 85, "hull": grid_text("5D-82-rosin.txt") });
    let job = json!({ "kind": "prove", "settings": settings });
    let expected = undisturbed(directory.path(), std::slice::from_ref(&job));
    let project = Project::new(directory.path());
    let (server, described) = described(&project);
    let daemon = project.daemon(8);
    let id = daemon.submit(&job);
    wait_until("units are offered", || !project.make_work().is_empty());
    let client = Client::start(&project.path("client"), &server.url, &described);
    let (mut taken, mut asked) = (std::collections::BTreeSet::new(), Instant::now());
    client.wait("the proof is over", || {
        project.make_work();
        // A client that was given nothing waits long before it asks again by itself.
        if asked.elapsed() >= Duration::from_secs(1) {
            asked = Instant::now();
            client.order(&["--project", &server.url, "update"]);
        }
        let mut reported = server.known.lock().unwrap().reported.clone();
        reported.retain(|task, _| !taken.contains(task));
        for (task, (status, said)) in reported {
            assert_eq!(status, "0", "{task}: {said}");
            let workunit = task.strip_suffix("_0").unwrap();
            let result = project.path("project/upload").join(result_file(workunit, 0));
            assert_eq!(project.validate(&[&result]), (Some(0), String::new()));
            assert_eq!(project.assimilate(workunit, &result).0, Some(0));
            taken.insert(task);
        }
        ["finished", "failed"].contains(&daemon.job(id)["state"].as_str().unwrap())
    });
    drop(client);
    assert_eq!([end(&daemon, id)], expected[..]);
    let file = project.path("state/jobs").join(id.to_string()).join(morpion::runner::proving::PROOF);
    let checked = morpion::proofs::check::check(&fs::read(file).unwrap(), &mut |_, _| {}).unwrap();
    assert!(checked.is_complete(), "{checked:?}");
    println!("{} units of a proof: {checked:?}", taken.len());
    daemon.stop();
}

/// A job of one unit, which is killed, suspended and resumed on its way.
fn goes_and_returns(test: &str, job: &Value) {
    if !is_there(test) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let project = Project::new(directory.path());
    let (server, described) = described(&project);
    let daemon = project.daemon(1);
    let id = daemon.submit(job);
    wait_until("its unit is offered", || project.make_work().len() == 1);
    let workunit = project.workunits().remove(0);
    let task = format!("{workunit}_0");
    let home = project.path("client");
    let client = Client::start(&home, &server.url, &described);
    // Meanwhile another daemon computes the same.
    let expected = undisturbed(directory.path(), std::slice::from_ref(job));
    let checkpoint = home.join("slots/0/morpion_checkpoint");
    client.wait("the unit has a checkpoint", || checkpoint.exists());
    assert!(client.application().contains(&format!("workunit {workunit}: begins")), "{}", client.application());
    // Killed, it is started again and continues.
    let [application] = client.applications()[..] else { panic!("{}", client.said()) };
    assert!(Command::new("kill").arg("-9").arg(application.to_string()).status().unwrap().success());
    client.wait("it continues", || client.application().contains("continues from the checkpoint"));
    client.order_task(&task, "suspend");
    client.wait("it pauses", || client.application().contains("pauses"));
    client.order_task(&task, "resume");
    client.wait("it goes on", || client.application().contains("goes on"));
    let result = project.path("project/upload").join(result_file(&workunit, 0));
    client.wait("the result is uploaded and reported", || {
        result.exists() && server.known.lock().unwrap().reported.contains_key(&task)
    });
    let (status, said) = server.known.lock().unwrap().reported[&task].clone();
    assert!(status == "0" && said.contains("the result is written"), "{status}: {said}");
    drop(client);
    assert_eq!(project.validate(&[&result]), (Some(0), String::new()));
    let (code, said) = project.assimilate(&workunit, &result);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!([end(&daemon, id)], expected[..]);
    daemon.stop();
}
