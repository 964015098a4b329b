//! How a pool stands, as the hub shows it to the queue and to the daemon.

use super::PoolService;
use crate::queue::Unit;
use crate::queue::effort::Contributor;
use crate::queue::nats::machine::{KnownMachine, MachineHealth, MachineState, PoolState};
use crate::queue::nats::turn::SentTurn;
use std::collections::BTreeMap;
use std::sync::PoisonError;

impl<U: Unit> PoolService<'_, U> {
    /// Has the queue find out which units wait for another machine.
    pub(super) fn note_barred(&self) {
        let here = self.machines.values().filter(|machine| machine.health(self.options.lost) == MachineHealth::Here);
        let here: Vec<&Contributor> = here.map(|machine| &*machine.by).collect();
        // While there is none, everything waits for one.
        self.group.note_barred(&|is_open| here.is_empty() || here.iter().any(|by| is_open(by)));
    }

    /// Shows how everything stands.
    pub(super) fn show(&self, connected: bool) {
        let mut running: BTreeMap<&str, u32> = BTreeMap::new();
        for turn in self.turns.values() {
            if let Some(machine) = &turn.machine {
                *running.entry(machine).or_default() += 1;
            }
        }
        let state = |(id, machine): (&String, &KnownMachine)| {
            machine.state(running.get(id.as_str()).copied().unwrap_or(0), self.options.lost)
        };
        let mut machines: Vec<MachineState> = self.machines.iter().map(state).collect();
        machines.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        let place = |turn: &SentTurn| {
            let machine = self.machines.get(turn.machine.as_ref()?)?;
            Some((self.seats[turn.seat].worker(), machine.beat.name.clone()))
        };
        let places = self.turns.values().filter_map(place).collect();
        let mut pool = self.common.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if connected && !pool.connected {
            tracing::info!("connected to {}", self.common.place);
        }
        let lost = || "the connection to the server is lost".to_owned();
        let trouble = (!connected).then(|| pool.trouble.take().unwrap_or_else(lost));
        *pool = PoolState { connected, trouble, machines, places };
    }
}
