//! The application in a slot, with a client that the test plays.

use crate::daemons::*;
use crate::project::{Project, boinc, text};
use morpion::queue::any::AnyUnit;
use morpion::queue::boinc::app::{AppEnd, AppEvent, AppTimes, BoincApp, CHECKPOINT};
use morpion::queue::boinc::channels::{CHANNEL, CHANNELS, Channel, ChannelFile, FILE};
use morpion::queue::boinc::package::UnitWords;
use morpion::queue::boinc::slot::{INIT_DATA, Slot};
use morpion::runner::parcel::ParcelOpener;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The units of a hunt, as files.
fn units(directory: &Path, settings: &Value, count: usize) -> Vec<PathBuf> {
    let project = Project::new(directory);
    let program = project.daemon(count as u32);
    program.submit(&json!({ "kind": "hunt", "settings": settings }));
    wait_until("its units are offered", || project.make_work().len() == count);
    program.stop();
    project.workunits().iter().map(|name| project.path("project/download").join(name)).collect()
}

/// A unit that takes some seconds, and of which it is known how much is done.
fn long_unit(directory: &Path) -> PathBuf {
    let settings = json!({ "strategy": "random", "max_iterations": 500_000, "runs": 1, "seed": 3, "keep_from": 84 });
    units(directory, &settings, 1).remove(0)
}

/// One that does not end.
fn endless_unit(directory: &Path) -> PathBuf {
    let settings = json!({ "strategy": "nrpa", "level": 6, "runs": 1, "seed": 3 });
    units(directory, &settings, 1).remove(0)
}

/// A slot with links, as a client makes it.
struct PlayedClient {
    slot: PathBuf,
    channels: ChannelFile,
}

impl PlayedClient {
    fn new(directory: &Path, unit: &Path, process: u32) -> PlayedClient {
        let (slot, project) = (directory.join("slots/0"), directory.join("projects/p"));
        fs::create_dir_all(&slot).unwrap();
        fs::create_dir_all(&project).unwrap();
        fs::copy(unit, project.join("unit_1")).unwrap();
        fs::write(slot.join("in"), "<soft_link>../../projects/p/unit_1</soft_link>\n").unwrap();
        fs::write(slot.join("out"), "<soft_link>../../projects/p/unit_1_0_0</soft_link>\n").unwrap();
        let data = format!(
            "<app_init_data>\n<project_preferences><client_pid>1</client_pid></project_preferences>\n\
             <wu_name>unit_1</wu_name>\n<shm_key>-1</shm_key>\n<client_pid>{process}</client_pid>\n\
             <wu_cpu_time>100.000000</wu_cpu_time>\n<checkpoint_period>0.200000</checkpoint_period>\n\
             <fraction_done_start>0.500000</fraction_done_start>\n<fraction_done_end>1.000000</fraction_done_end>\n\
             </app_init_data>\n"
        );
        fs::write(slot.join(INIT_DATA), data).unwrap();
        fs::write(slot.join(FILE), vec![0; CHANNEL * CHANNELS]).unwrap();
        let channels = ChannelFile::open(&slot.join(FILE)).unwrap();
        PlayedClient { slot, channels }
    }

    fn out(&self) -> PathBuf {
        Slot::new(&self.slot).resolved("out")
    }

    /// Starts the application as the client does: in the slot, with its messages in a file there.
    fn start(&self) -> Child {
        let errors = fs::File::options().create(true).append(true).open(self.slot.join("stderr.txt")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
        command.args(["boinc", "run"]).current_dir(&self.slot);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).spawn().unwrap()
    }

    fn said(&self) -> String {
        fs::read_to_string(self.slot.join("stderr.txt")).unwrap_or_default()
    }

    /// Says something when the last word was read, and waits until this one is.
    fn order(&self, word: &str) {
        wait_until("there is room", || self.channels.send(Channel::ControlRequest, word).unwrap());
        wait_until("it is read", || !self.channels.is_full(Channel::ControlRequest).unwrap());
    }

    /// The next thing that it is told of times.
    fn status(&self) -> String {
        let mut status = None;
        wait_until("it tells of its times", || {
            let _ = self.channels.send(Channel::Heartbeat, "<heartbeat/>\n").unwrap();
            status = self.channels.receive(Channel::AppStatus).unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

/// A number of a status.
fn value(status: &str, name: &str) -> f64 {
    let (_, rest) = status.split_once(&format!("<{name}>")).unwrap_or_else(|| panic!("no {name}: {status}"));
    rest.split_once(&format!("</{name}>")).unwrap().0.parse().unwrap()
}

/// Processor time of a process, in ticks of the system.
fn ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

fn ended(mut process: Child) -> ExitStatus {
    let mut status = None;
    wait_until("it ends", || {
        status = process.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

#[test]
fn the_application_obeys_its_client() {
    let directory = tempfile::tempdir().unwrap();
    let unit = endless_unit(directory.path());
    let client = PlayedClient::new(directory.path(), &unit, std::process::id());
    let process = client.start();
    let status = client.status();
    assert!(value(&status, "current_cpu_time") >= 100.0, "{status}");
    assert!(!status.contains("fraction_done"), "how long it takes nobody knows: {status}");
    // While it is paused it takes no time of the processor, and has saved itself.
    client.order("<suspend/>");
    wait_until("it pauses", || client.said().contains("pauses") && client.slot.join(CHECKPOINT).exists());
    let mut before = ticks(process.id());
    wait_until("it takes no time", || {
        std::thread::sleep(Duration::from_millis(300));
        let after = ticks(process.id());
        std::mem::replace(&mut before, after) + 2 >= after
    });
    client.order("<resume/>");
    wait_until("it goes on", || ticks(process.id()) > before + 20);
    // Told to leave, it leaves without an end, and continues when it is started again.
    client.order("<quit/>");
    assert_eq!(ended(process).code(), Some(0));
    assert!(client.said().contains("has left with a checkpoint"), "{}", client.said());
    assert!(!client.slot.join("boinc_finish_called").exists() && !client.out().exists());
    let process = client.start();
    wait_until("it continues", || client.said().contains("unit_1: continues from the checkpoint"));
    wait_until("it tells of a checkpoint", || value(&client.status(), "checkpoint_cpu_time") > 100.0);
    client.order("<abort/>");
    assert_eq!(ended(process).code(), Some(194));
    // A checkpoint that is damaged costs what was computed, and nothing else.
    fs::write(client.slot.join(CHECKPOINT), "damaged").unwrap();
    let process = client.start();
    wait_until("it begins anew", || client.said().contains("begins anew, since morpion_checkpoint cannot be used"));
    client.order("<quit/>");
    assert_eq!(ended(process).code(), Some(0));
}

#[test]
fn a_unit_that_is_interrupted_ends_as_one_that_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let unit = long_unit(directory.path());
    let alone = directory.path().join("alone");
    fs::create_dir_all(&alone).unwrap();
    fs::copy(&unit, alone.join("in")).unwrap();
    let ran = boinc(&["run", alone.to_str().unwrap()]);
    let said = text(&ran.stderr);
    assert!(ran.status.success() && said.contains("without a BOINC client: begins"), "{said}");
    assert!(!alone.join("boinc_finish_called").exists());
    let client = PlayedClient::new(directory.path(), &unit, std::process::id());
    let mut interruptions = 0;
    let mut process = client.start();
    // It is killed and told to leave by turns, each time after another checkpoint.
    for round in 0..4 {
        let checkpoint = || fs::read(client.slot.join(CHECKPOINT)).unwrap_or_default();
        let before = checkpoint();
        wait_until("another checkpoint", || {
            let _ = client.channels.receive(Channel::AppStatus);
            checkpoint() != before || process.try_wait().unwrap().is_some()
        });
        if process.try_wait().unwrap().is_some() {
            break;
        }
        interruptions += 1;
        if round % 2 == 0 {
            process.kill().unwrap();
            process.wait().unwrap();
        } else {
            let sent = Command::new("kill").arg("-TERM").arg(process.id().to_string()).status();
            assert!(sent.is_ok_and(|status| status.success()));
            process.wait().unwrap();
        }
        process = client.start();
    }
    let mut last = 0.0;
    wait_until("the last word is there", || {
        // Looked at first: what was told before is read then.
        let is_over = client.slot.join("boinc_finish_called").exists();
        if let Some(status) = client.channels.receive(Channel::AppStatus).unwrap() {
            let fraction = value(&status, "fraction_done");
            assert!((0.5..=1.0).contains(&fraction), "{status}");
            last = fraction;
        }
        is_over
    });
    assert_eq!(ended(process).code(), Some(0));
    assert_eq!(last, 1.0);
    assert_eq!(fs::read_to_string(client.slot.join("boinc_finish_called")).unwrap(), "0\n");
    assert!(interruptions > 0, "it was too fast to be interrupted");
    let results = [alone.join("out"), client.out()]
        .map(|file| UnitWords::from_file(&fs::read(file).unwrap()).expect("a result"));
    assert_eq!(results[0].words.last(), results[1].words.last(), "after {interruptions} interruptions");
    assert!(client.said().contains("continues from the checkpoint"), "{}", client.said());
}

#[test]
fn a_client_that_has_gone_is_noticed_and_a_slot_has_one_application() {
    let directory = tempfile::tempdir().unwrap();
    let unit = endless_unit(directory.path());
    // The process of a client that has ended.
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let client = PlayedClient::new(&directory.path().join("gone"), &unit, gone.id());
    assert_eq!(ended(client.start()).code(), Some(0));
    assert!(client.said().contains("the BOINC client has gone"), "{}", client.said());
    assert!(client.slot.join(CHECKPOINT).exists());
    // A client that does not say which process it is, and falls silent.
    let client = PlayedClient::new(&directory.path().join("silent"), &unit, 0);
    let (opener, events) = (ParcelOpener::new(1 << 20, 1), Arc::new(Mutex::new(Vec::<AppEvent>::new())));
    let heard = Arc::clone(&events);
    let (_stay, leave) = crossbeam_channel::unbounded();
    let times = AppTimes {
        lost: Duration::from_secs(4),
        slot: Duration::from_millis(10),
        later: Duration::from_secs(90),
        pace: Duration::from_secs(1),
    };
    let app: BoincApp<AnyUnit> = BoincApp {
        slot: Slot::new(&client.slot),
        open: Arc::new(move |bytes, worker| opener.open(bytes, worker)),
        leave,
        spent: || 0.0,
        times,
        tell: Box::new(move |event| heard.lock().unwrap().push(event)),
    };
    let (beating, beats) = (Arc::new(AtomicBool::new(true)), ChannelFile::open(&client.slot.join(FILE)).unwrap());
    let beating_on = Arc::clone(&beating);
    let heart = std::thread::spawn(move || {
        // As long as it beats, nothing is lost: more beats than the application waits for.
        for _ in 0..60 {
            let _ = beats.send(Channel::Heartbeat, "<heartbeat/>\n");
            std::thread::sleep(Duration::from_millis(100));
        }
        beating_on.store(false, Ordering::SeqCst);
    });
    assert_eq!(app.run().unwrap(), AppEnd::Lost);
    assert!(!beating.load(Ordering::SeqCst), "it left while the client was there");
    heart.join().unwrap();
    assert!(
        matches!(&events.lock().unwrap()[0], AppEvent::Began { client: Some(name), continued: false } if name == "unit_1")
    );
    // The slot is taken by another process.
    let client = PlayedClient::new(&directory.path().join("taken"), &unit, std::process::id());
    let process = client.start();
    wait_until("it has begun", || client.said().contains("begins"));
    let app = BoincApp { slot: Slot::new(&client.slot), ..app };
    assert_eq!(app.run().unwrap(), AppEnd::Later);
    let later = fs::read_to_string(client.slot.join("boinc_temporary_exit")).unwrap();
    assert!(later.starts_with("90\nanother process"), "{later}");
    client.order("<abort/>");
    assert_eq!(ended(process).code(), Some(194));
}

#[test]
fn what_is_wrong_with_a_slot_is_said_and_reported() {
    let directory = tempfile::tempdir().unwrap();
    let unit = long_unit(directory.path());
    let fails = |change: &dyn Fn(&PlayedClient), why: &str| {
        let client = PlayedClient::new(&tempfile::tempdir_in(directory.path()).unwrap().keep(), &unit, 1);
        change(&client);
        assert_eq!(ended(client.start()).code(), Some(1), "{why}");
        assert!(client.said().contains(why), "{why}: {}", client.said());
        fs::read_to_string(client.slot.join("boinc_finish_called")).ok()
    };
    let project = |client: &PlayedClient| client.slot.join("../../projects/p/unit_1");
    let reported = Some("1\n".to_owned());
    assert_eq!(fails(&|client| fs::write(project(client), "no unit").unwrap(), "in: it is too short"), reported);
    assert_eq!(fails(&|client| fs::remove_file(project(client)).unwrap(), "cannot read"), reported);
    let cut = |client: &PlayedClient| {
        let whole = fs::read(project(client)).unwrap();
        fs::write(project(client), &whole[..whole.len() - 1]).unwrap();
    };
    assert_eq!(fails(&cut, "checksum"), reported);
    let old = |client: &PlayedClient| {
        let path = client.slot.join(INIT_DATA);
        let data = fs::read_to_string(&path).unwrap();
        fs::write(&path, data.replace("<shm_key>-1<", "<shm_key>77<")).unwrap();
    };
    assert_eq!(fails(&old, "a BOINC client of version 6 or later"), reported);
    assert_eq!(fails(&|client| fs::remove_file(client.slot.join(FILE)).unwrap(), "boinc_mmap_file"), reported);
    // What the client says cannot be read, so there is nobody to report to.
    assert_eq!(fails(&|client| fs::write(client.slot.join(INIT_DATA), "<x>").unwrap(), "init_data.xml"), None);
}
