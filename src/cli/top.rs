//! `morpion top`: a screen that shows what a daemon does, and pauses its jobs.
//!
//! Two threads ask the daemon and keep [`Model`] up to date; the main thread draws it ([`screen`]) and reads keys. So
//! a slow daemon never makes the keyboard slow.

mod screen;

use crate::cli::client::{Client, ClientError, Connection, Heard};
use crate::cli::job;
use crate::cli::streams::data_are_seen;
use crate::cli::terminal::{Keys, TerminalWindow};
use crate::daemon::view::{EventKind, HealthView, JobState, JobView, Listing, PoolView, TotalsView, WorkerView};
use anyhow::{Context, bail};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::widgets::TableState;
use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Time between two questions to the daemon, and between two looks at the keyboard.
const ASK: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(200);

/// Jobs that are shown, newest first.
const JOBS: usize = 500;

/// Events that are kept.
const EVENTS: usize = 200;

/// Lines that a page key moves by.
const PAGE: usize = 10;

/// Watch a daemon: its jobs, workers, best grids and events.
///
/// Keys: arrows choose a job, p pauses or resumes it, q quits.
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
    /// What became of the last command.
    message: Option<String>,
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
    let mut chosen = TableState::default().with_selected(0);
    loop {
        {
            let model = lock(model);
            clamp(&mut chosen, model.jobs.len());
            window.draw(|frame| screen::draw(frame, &model, &mut chosen))?;
        }
        if !event::poll(LOOK)? {
            continue;
        }
        let Event::Key(key) = event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        if !obey(key, &mut chosen, client, model) {
            return Ok(());
        }
    }
}

/// Keeps the choice among the jobs that there are.
fn clamp(chosen: &mut TableState, jobs: usize) {
    let last = jobs.checked_sub(1);
    chosen.select(last.map(|last| chosen.selected().unwrap_or(0).min(last)));
}

/// Does what a key asks for; false: end.
fn obey(key: KeyEvent, chosen: &mut TableState, client: &Client, model: &SharedModel) -> bool {
    let at = chosen.selected().unwrap_or(0);
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => return false,
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return false,
        KeyCode::Down | KeyCode::Char('j') => chosen.select(Some(at.saturating_add(1))),
        KeyCode::Up | KeyCode::Char('k') => chosen.select(Some(at.saturating_sub(1))),
        KeyCode::PageDown => chosen.select(Some(at.saturating_add(PAGE))),
        KeyCode::PageUp => chosen.select(Some(at.saturating_sub(PAGE))),
        KeyCode::Home => chosen.select(Some(0)),
        KeyCode::End => chosen.select(Some(usize::MAX)),
        KeyCode::Char('p') => pause(at, client, model),
        _ => {}
    }
    true
}

/// Pauses the chosen job, or lets it go on; in a thread, as it may take a while.
fn pause(at: usize, client: &Client, model: &SharedModel) {
    let Some((id, state)) = lock(model).jobs.get(at).map(|job| (job.summary.id, job.summary.state)) else { return };
    let verb = if state == JobState::Paused { "resume" } else { "pause" };
    let begun = spawn(client, model, move |client, model| {
        let path = format!("/api/v1/jobs/{id}/{verb}");
        let message = match client.ask::<JobView>("POST", &path, &[], None) {
            Ok(job) => format!("job {id} is {}", job::state(job.summary.state)),
            Err(error) => error.to_string(),
        };
        let mut model = lock(&model);
        model.message = Some(message);
    });
    if let Err(error) = begun {
        lock(model).message = Some(format!("no thread for this: {error}"));
    }
}
