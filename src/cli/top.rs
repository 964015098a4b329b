//! `morpion top`: a screen that shows what a daemon does, and commands its jobs.
//!
//! Two threads ask the daemon and keep [`Model`] up to date; the main thread draws it ([`screen`]) and reads keys
//! ([`keys`]). So a slow daemon never makes the keyboard slow.

mod keys;
mod screen;

use crate::cli::client::{Client, ClientError, Connection, Heard};
use crate::cli::job;
use crate::cli::streams::data_are_seen;
use crate::cli::terminal::{Keys, TerminalWindow};
use crate::daemon::view::{EventKind, HealthView, JobId, JobView, Listing, PoolView, TotalsView, WorkerView};
use anyhow::{Context, bail};
use keys::{JobChoice, JobOrder, Pressed};
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Time between two questions to the daemon, and between two looks at the keyboard.
const ASK: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(200);

/// Jobs that are shown, newest first.
const JOBS: usize = 500;

/// Events that are kept.
const EVENTS: usize = 200;

/// Watch a daemon: its jobs, workers, best grids and events.
///
/// Keys: arrows choose a job, Enter shows its details, p pauses or resumes it, c cancels it (after a question), r
/// changes its priority. / filters the jobs by words of their numbers, states, kinds and names, Esc ends that. q
/// quits.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    connection: Connection,
}

/// What is known of the daemon.
#[derive(Default)]
struct Model {
    url: String,
    health: Option<HealthView>,
    totals: Option<TotalsView>,
    jobs: Vec<JobView>,
    more: bool,
    workers: Vec<WorkerView>,
    /// Workers on other machines, if the daemon knows of such.
    pool: Option<PoolView>,
    events: VecDeque<String>,
    /// Why the daemon cannot be asked, if it cannot.
    trouble: Option<String>,
    /// What became of the last command, and since when that is shown.
    message: Option<(Instant, String)>,
}

type SharedModel = Arc<Mutex<Model>>;

fn lock(model: &SharedModel) -> MutexGuard<'_, Model> {
    model.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Runs the command.
///
/// # Errors
/// If this is no terminal or no daemon answers at the beginning.
pub fn run(args: Args, _: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if !data_are_seen() || !std::io::stdin().is_terminal() {
        bail!("this needs a terminal; `morpion job list` prints what it shows");
    }
    let client = Client::new(&args.connection)?;
    let model: SharedModel = Arc::new(Mutex::new(Model { url: client.url().to_owned(), ..Model::default() }));
    ask(&client, &model)?;
    spawn(&client, &model, |client, model| {
        loop {
            std::thread::sleep(ASK);
            if let Err(error) = ask(&client, &model) {
                lock(&model).trouble = Some(error.to_string());
            }
        }
    })?;
    spawn(&client, &model, follow)?;
    let mut window = TerminalWindow::open(Keys::Read).context("the terminal cannot be used")?;
    watch(&mut window, &client, &model)?;
    Ok(ExitCode::SUCCESS)
}

fn spawn(
    client: &Client,
    model: &SharedModel,
    work: impl FnOnce(Client, SharedModel) + Send + 'static,
) -> std::io::Result<()> {
    let (client, model) = (client.clone(), Arc::clone(model));
    std::thread::Builder::new().spawn(move || work(client, model)).map(drop)
}

/// Asks for everything but the events.
fn ask(client: &Client, model: &SharedModel) -> Result<(), ClientError> {
    let health = client.get("/api/v1/health")?;
    let totals = client.get("/api/v1/statistics")?;
    let workers: Listing<WorkerView> = client.get("/api/v1/workers")?;
    // Daemons of earlier versions do not have it.
    let pool = client.get("/api/v1/machines").ok().filter(|pool: &PoolView| pool.open);
    let (jobs, more) = client.list("/api/v1/jobs?", JOBS)?;
    let mut model = lock(model);
    let (url, events) = (std::mem::take(&mut model.url), std::mem::take(&mut model.events));
    let message = model.message.take();
    *model = Model {
        url,
        health: Some(health),
        totals: Some(totals),
        jobs,
        more,
        workers: workers.items,
        pool,
        events,
        trouble: None,
        message,
    };
    Ok(())
}

/// Keeps the latest events; a stream that breaks is taken up again.
fn follow(client: Client, model: SharedModel) {
    let mut seen = None;
    loop {
        for heard in client.events(None, seen).into_iter().flatten() {
            let Ok(Heard::Event(event)) = heard else { continue };
            // The table shows progress.
            if matches!(event.what, EventKind::Progress { .. }) {
                continue;
            }
            seen = Some(event.id);
            let mut model = lock(&model);
            model.events.push_front(job::told(&event));
            model.events.truncate(EVENTS);
        }
        std::thread::sleep(ASK);
    }
}

/// Draws and obeys the keyboard until the user has seen enough.
fn watch(window: &mut TerminalWindow, client: &Client, model: &SharedModel) -> anyhow::Result<()> {
    let mut choice = JobChoice::default();
    loop {
        {
            let model = lock(model);
            window.draw(|frame| screen::draw(frame, &model, &mut choice))?;
        }
        if !event::poll(LOOK)? {
            continue;
        }
        let Event::Key(key) = event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        let pressed = choice.press(key, &lock(model).jobs);
        match pressed {
            Pressed::Nothing => {}
            Pressed::Quit => return Ok(()),
            Pressed::Say(text) => say(model, text),
            Pressed::Order(order) => give(order, client, model),
        }
    }
}

/// Shows a message for a while.
fn say(model: &SharedModel, text: String) {
    lock(model).message = Some((Instant::now(), text));
}

/// Gives an order to a job; in a thread, as it may take a while.
fn give(order: JobOrder, client: &Client, model: &SharedModel) {
    let begun = spawn(client, model, move |client, model| {
        let answer = match order {
            JobOrder::Pause(id) => command(&client, id, "pause"),
            JobOrder::Resume(id) => command(&client, id, "resume"),
            JobOrder::Cancel(id) => command(&client, id, "cancel"),
            JobOrder::Priority(id, priority) => {
                let body = serde_json::json!({ "priority": priority }).to_string();
                client.ask::<JobView>("PATCH", &format!("/api/v1/jobs/{id}"), &[], Some(body.as_bytes()))
            }
        };
        let told = match (answer, order) {
            (Ok(job), JobOrder::Priority(..)) => {
                format!("job {} has priority {}", job.summary.id, job.summary.priority)
            }
            (Ok(job), _) => format!("job {} is {}", job.summary.id, job::standing(&job)),
            (Err(error), _) => error.to_string(),
        };
        say(&model, told);
        // What came of it is seen at once.
        let _ = ask(&client, &model);
    });
    if let Err(error) = begun {
        say(model, format!("no thread for this: {error}"));
    }
}

fn command(client: &Client, id: JobId, verb: &str) -> Result<JobView, ClientError> {
    client.ask("POST", &format!("/api/v1/jobs/{id}/{verb}"), &[], None)
}
