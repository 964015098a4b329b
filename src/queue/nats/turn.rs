//! Turns as the hub has them: units on their way, and the workers that are left for more.

use super::machine::{KnownMachine, MachineHealth};
use super::words::WordQueue;
use crate::queue::effort::Contributor;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A unit on its way.
pub struct SentTurn {
    /// Place of the seat that has it.
    pub seat: usize,
    /// The unit as it was packed.
    pub packed: Vec<u8>,
    /// Its number in the stream, once the server has it.
    pub sequence: Option<u64>,
    /// The machine that is at it.
    pub machine: Option<String>,
    /// When it was published.
    pub since: Instant,
    /// When its machine last said that it is at it.
    pub named: Instant,
    /// It is to stop.
    pub stopping: bool,
    /// When its worker was last told so.
    pub stopped: Option<Instant>,
    /// What is said of it.
    pub words: WordQueue,
    /// Parts of a word that is not complete.
    pub parts: Vec<u8>,
}

/// How many turns have no worker yet, and how many workers of each machine are free.
pub fn free_workers(
    machines: &BTreeMap<String, KnownMachine>,
    turns: &BTreeMap<String, SentTurn>,
    lost: Duration,
) -> (usize, Vec<(Arc<Contributor>, usize)>) {
    let (mut unclaimed, mut running) = (0, BTreeMap::<&str, usize>::new());
    for turn in turns.values() {
        match &turn.machine {
            Some(machine) => *running.entry(machine).or_default() += 1,
            None => unclaimed += 1,
        }
    }
    let here = machines.iter().filter(|(_, machine)| machine.health(lost) == MachineHealth::Here);
    let free = here.map(|(id, machine)| {
        let running = running.get(id.as_str()).copied().unwrap_or(0);
        (Arc::clone(&machine.by), (machine.beat.workers as usize).saturating_sub(running))
    });
    (unclaimed, free.collect())
}
