//! What the keys of `morpion top` do: which job is chosen, which jobs are shown, and what is asked before a command.
//!
//! The job is chosen by its number, so it stays chosen when others come and go above it.

use crate::cli::grid_input::plain;
use crate::cli::job::held;
use crate::daemon::view::{JobId, JobState, JobView};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Lines that a page key moves by.
const PAGE: usize = 10;
/// Most characters of what is typed.
const LONGEST: usize = 60;

/// What the keys mean at present.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Mode {
    /// They choose a job.
    #[default]
    List,
    /// They are the filter.
    Filter,
    /// They answer whether this job is to be cancelled.
    Cancel(JobId),
    /// They are the new priority of this job.
    Priority(JobId, String),
    /// They move through what is known of this job.
    Details(JobId),
}

/// What is to be done after a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pressed {
    Nothing,
    Quit,
    /// Something is to be said to the user.
    Say(String),
    Order(JobOrder),
}

/// A command to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOrder {
    Pause(JobId),
    Resume(JobId),
    Cancel(JobId),
    Priority(JobId, i32),
}

/// What the user has chosen.
#[derive(Debug, Default)]
pub struct JobChoice {
    pub mode: Mode,
    /// Words that the shown jobs have.
    pub filter: String,
    /// The chosen job.
    pub job: Option<JobId>,
    /// First line of the details that is shown.
    pub scroll: usize,
}

/// Whether a job is one of those that a filter leaves: number, state, kind and name have all of its words.
pub fn is_shown(job: &JobView, filter: &str) -> bool {
    let summary = &job.summary;
    let text =
        format!("{} {} {} {}{}", summary.id, summary.state.name(), summary.kind, plain(&summary.name), held(job));
    let text = text.to_lowercase();
    filter.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

impl JobChoice {
    /// The jobs that are shown.
    pub fn shown<'a>(&self, jobs: &'a [JobView]) -> Vec<&'a JobView> {
        jobs.iter().filter(|job| is_shown(job, &self.filter)).collect()
    }

    /// Place of the chosen job among the shown ones. One that is gone leaves its place to the next one.
    pub fn place(&mut self, shown: &[&JobView]) -> Option<usize> {
        // The newest come first.
        let at = shown.iter().position(|job| self.job.is_none_or(|chosen| job.summary.id <= chosen));
        let at = at.or(shown.len().checked_sub(1));
        self.job = at.map(|at| shown[at].summary.id);
        at
    }

    fn choose(&mut self, shown: &[&JobView], place: impl Fn(usize) -> usize) {
        if let Some(at) = self.place(shown) {
            self.job = Some(shown[place(at).min(shown.len() - 1)].summary.id);
        }
    }

    /// Does what a key asks for, or says what is to be done.
    pub fn press(&mut self, key: KeyEvent, jobs: &[JobView]) -> Pressed {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Pressed::Quit;
        }
        match std::mem::take(&mut self.mode) {
            Mode::List => self.in_list(key, jobs),
            Mode::Filter => self.in_filter(key),
            Mode::Cancel(id) => match key.code {
                KeyCode::Char('y' | 'Y') => Pressed::Order(JobOrder::Cancel(id)),
                _ => Pressed::Say(format!("job {id} is not cancelled")),
            },
            Mode::Priority(id, text) => self.in_priority(key, id, text),
            Mode::Details(id) => self.in_details(key, id, jobs),
        }
    }

    fn in_list(&mut self, key: KeyEvent, jobs: &[JobView]) -> Pressed {
        let shown = self.shown(jobs);
        match key.code {
            KeyCode::Esc if !self.filter.is_empty() => self.filter.clear(),
            KeyCode::Char('q') | KeyCode::Esc => return Pressed::Quit,
            KeyCode::Char('/') => self.mode = Mode::Filter,
            KeyCode::Down | KeyCode::Char('j') => self.choose(&shown, |at| at.saturating_add(1)),
            KeyCode::Up | KeyCode::Char('k') => self.choose(&shown, |at| at.saturating_sub(1)),
            KeyCode::PageDown => self.choose(&shown, |at| at.saturating_add(PAGE)),
            KeyCode::PageUp => self.choose(&shown, |at| at.saturating_sub(PAGE)),
            KeyCode::Home => self.choose(&shown, |_| 0),
            KeyCode::End => self.choose(&shown, |_| usize::MAX),
            _ => {
                if let Some(at) = self.place(&shown) {
                    return self.with_job(key, shown[at]);
                }
            }
        }
        Pressed::Nothing
    }

    /// The keys that do something with a job.
    fn with_job(&mut self, key: KeyEvent, job: &JobView) -> Pressed {
        let (id, over) = (job.summary.id, job.summary.state.is_over());
        match key.code {
            KeyCode::Enter => {
                self.scroll = 0;
                self.mode = Mode::Details(id);
            }
            KeyCode::Char('p' | 'c' | 'r') if over => {
                return Pressed::Say(format!("job {id} is over ({})", job.summary.state.name()));
            }
            KeyCode::Char('p') if job.summary.state == JobState::Paused => {
                return Pressed::Order(JobOrder::Resume(id));
            }
            KeyCode::Char('p') => return Pressed::Order(JobOrder::Pause(id)),
            KeyCode::Char('c') => self.mode = Mode::Cancel(id),
            KeyCode::Char('r') => self.mode = Mode::Priority(id, String::new()),
            _ => {}
        }
        Pressed::Nothing
    }

    fn in_filter(&mut self, key: KeyEvent) -> Pressed {
        match key.code {
            KeyCode::Enter => return Pressed::Nothing,
            KeyCode::Esc => {
                self.filter.clear();
                return Pressed::Nothing;
            }
            _ => edit(&mut self.filter, key),
        }
        self.mode = Mode::Filter;
        Pressed::Nothing
    }

    fn in_priority(&mut self, key: KeyEvent, id: JobId, mut text: String) -> Pressed {
        match key.code {
            KeyCode::Esc => Pressed::Nothing,
            KeyCode::Enter => match text.trim().parse() {
                Ok(priority) if (-100..=100).contains(&priority) => Pressed::Order(JobOrder::Priority(id, priority)),
                _ => Pressed::Say(format!("'{}' is not a priority: -100 to 100 is expected", plain(&text))),
            },
            _ => {
                edit(&mut text, key);
                self.mode = Mode::Priority(id, text);
                Pressed::Nothing
            }
        }
    }

    fn in_details(&mut self, key: KeyEvent, id: JobId, jobs: &[JobView]) -> Pressed {
        self.mode = Mode::Details(id);
        match key.code {
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => self.mode = Mode::List,
            KeyCode::Down | KeyCode::Char('j') => self.scroll = self.scroll.saturating_add(1),
            KeyCode::Up | KeyCode::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::PageDown => self.scroll = self.scroll.saturating_add(PAGE),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            KeyCode::Home => self.scroll = 0,
            KeyCode::End => self.scroll = usize::MAX,
            _ => {
                if let Some(job) = jobs.iter().find(|job| job.summary.id == id) {
                    return self.with_job(key, job);
                }
            }
        }
        Pressed::Nothing
    }
}

/// Types a character, or takes the last one away.
fn edit(text: &mut String, key: KeyEvent) {
    match key.code {
        KeyCode::Char(typed) if text.chars().count() < LONGEST && !typed.is_control() => text.push(typed),
        KeyCode::Backspace => _ = text.pop(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::screen::tests::jobs;
    use super::*;

    fn press(choice: &mut JobChoice, jobs: &[JobView], keys: &str) -> Pressed {
        let code = |key: char| match key {
            '\n' => KeyCode::Enter,
            '\u{1b}' => KeyCode::Esc,
            '\u{8}' => KeyCode::Backspace,
            '\u{2193}' => KeyCode::Down,
            '\u{2191}' => KeyCode::Up,
            key => KeyCode::Char(key),
        };
        let mut last = Pressed::Nothing;
        for key in keys.chars() {
            last = choice.press(KeyEvent::new(code(key), KeyModifiers::NONE), jobs);
        }
        last
    }

    #[test]
    fn a_job_stays_chosen_when_others_come_and_go() {
        let all = jobs(39);
        let mut choice = JobChoice::default();
        press(&mut choice, &all, "\u{2193}\u{2193}");
        assert_eq!(choice.job, Some(37));
        let newer = jobs(45);
        assert_eq!((choice.place(&choice.shown(&newer)), choice.job), (Some(8), Some(37)));
        // It is removed: the next one takes its place.
        let fewer: Vec<JobView> = newer.into_iter().filter(|job| job.summary.id != 37).collect();
        assert_eq!((choice.place(&choice.shown(&fewer)), choice.job), (Some(8), Some(36)));
        assert_eq!((choice.place(&[]), choice.job), (None, None));
        press(&mut choice, &all, "\u{2191}");
        assert_eq!(choice.job, Some(39));
    }

    #[test]
    fn nothing_is_cancelled_without_a_yes() {
        let all = jobs(3);
        let mut choice = JobChoice::default();
        for no in ["c\u{1b}", "cn", "cc", "c\n", "cq"] {
            assert_eq!(press(&mut choice, &all, no), Pressed::Say("job 3 is not cancelled".to_owned()), "{no}");
            assert_eq!(choice.mode, Mode::List);
        }
        assert_eq!(press(&mut choice, &all, "\u{2193}cy"), Pressed::Order(JobOrder::Cancel(2)));
        // The answer is about the job that was chosen, whatever has come since.
        press(&mut choice, &all, "c");
        assert_eq!(press(&mut choice, &jobs(9), "y"), Pressed::Order(JobOrder::Cancel(2)));
        let mut over = jobs(3);
        over[1].summary.state = JobState::Finished;
        assert_eq!(press(&mut choice, &over, "c"), Pressed::Say("job 2 is over (finished)".to_owned()));
        assert_eq!(press(&mut choice, &all, "\u{1b}"), Pressed::Quit);
    }

    #[test]
    fn jobs_are_paused_resumed_and_given_priorities() {
        let mut all = jobs(3);
        all[1].summary.state = JobState::Paused;
        let mut choice = JobChoice::default();
        assert_eq!(press(&mut choice, &all, "p"), Pressed::Order(JobOrder::Pause(3)));
        assert_eq!(press(&mut choice, &all, "\u{2193}p"), Pressed::Order(JobOrder::Resume(2)));
        assert_eq!(press(&mut choice, &all, "r-71\u{8}\n"), Pressed::Order(JobOrder::Priority(2, -7)));
        for bad in ["r\n", "rx\n", "r101\n", "r1.5\n"] {
            assert!(
                matches!(press(&mut choice, &all, bad), Pressed::Say(text) if text.contains("-100 to 100")),
                "{bad}"
            );
        }
        assert_eq!((press(&mut choice, &all, "r5\u{1b}"), &choice.mode), (Pressed::Nothing, &Mode::List));
        // In the details, the same keys are about that job.
        assert_eq!(press(&mut choice, &all, "\np"), Pressed::Order(JobOrder::Resume(2)));
    }

    #[test]
    fn jobs_are_filtered_by_words() {
        let mut all = jobs(12);
        all[4].summary.state = JobState::Failed;
        all[5].summary.name = "Reversi 6x6".to_owned();
        let mut choice = JobChoice::default();
        let ids = |choice: &JobChoice| choice.shown(&all).iter().map(|job| job.summary.id).collect::<Vec<_>>();
        for (filter, expected) in
            [("failed", vec![8]), ("reversi", vec![7]), ("hunt 11", vec![11]), ("nothing", vec![])]
        {
            press(&mut choice, &all, &format!("/{filter}\n"));
            assert_eq!(ids(&choice), expected, "{filter}");
            assert_eq!(press(&mut choice, &all, "\u{1b}"), Pressed::Nothing, "the filter goes first");
        }
        press(&mut choice, &all, "/q\u{8}rev");
        assert_eq!((choice.mode.clone(), choice.filter.as_str()), (Mode::Filter, "rev"));
        press(&mut choice, &all, "\u{1b}");
        assert_eq!((&choice.mode, ids(&choice).len()), (&Mode::List, 12));
    }
}
