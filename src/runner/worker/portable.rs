//! A unit of a hunt on its way to another machine, and what that says of it.

use super::{FreshFind, HuntContext, HuntOutcome, HuntReport, HuntUnit, NOBODY, Offered};
use crate::core::encoding::{decode, encode};
use crate::core::histogram::Results;
use crate::core::search::End;
use crate::jobs::hunt::{NumberedUnit, UnitResult};
use crate::morpion::geometry::Move;
use crate::morpion::referee;
use crate::morpion::variant::Variant;
use crate::queue::{Portable, Unpacked};
use crate::runner::archive::novelty::{Novelty, Offers};
use crate::runner::best::check_moves;
use crate::runner::parcel::Parcel;
use crate::strategies::Unit;
use crate::strategies::nrpa::Call;
use crate::strategies::nrpa::policy::Snapshot;
use crate::strategies::params::Params;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A packed unit of a hunt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HuntParcel {
    variant: Variant,
    /// The strategy and its parameters as JSON.
    params: String,
    target: Option<u32>,
    /// Best score of all.
    best: u32,
    /// Smallest score of grids that are kept, if any are.
    keep_from: Option<u32>,
    id: u64,
    unit: Unit,
    call: Option<CallParcel>,
    /// Where the search is to continue from.
    begun: Option<StateParcel>,
}

/// A call of a shared search.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CallParcel {
    level: u32,
    first: u64,
    policy: Vec<(u32, f32)>,
}

/// A state of a search.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StateParcel {
    iterations: u64,
    best: u32,
    saved: Vec<u8>,
}

/// A grid that was found.
#[derive(Debug, Serialize, Deserialize)]
struct FindParcel {
    moves: Vec<Move>,
    iterations: u64,
    /// Millionths of a second since it was found.
    age: u64,
}

/// What the machine says of the unit.
#[derive(Debug, Serialize, Deserialize)]
enum HuntWord {
    Improved(FindParcel),
    Found(FindParcel),
    Refused(String),
    Figures { iterations: u64, best: u32 },
    State(StateParcel),
    Reached,
    Ended { end: End, iterations: u64, best: u32, results: Results, game: Option<Vec<Move>> },
}

/// What the machine is told.
#[derive(Debug, Serialize, Deserialize)]
enum HuntOrder {
    /// A state of the search is wanted.
    State,
}

impl HuntParcel {
    /// The parcel without what changes while the hunt runs.
    pub fn without_progress(self) -> HuntParcel {
        HuntParcel { best: 0, begun: None, ..self }
    }

    /// The unit that was packed.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(self) -> Result<HuntUnit, String> {
        let HuntParcel { variant, params, target, best, keep_from, id, unit, call, begun } = self;
        let params: Params = serde_json::from_str(&params).map_err(|error| format!("the strategy: {error}"))?;
        referee::replay_from(&params.start, variant, &unit.prefix).map_err(|error| format!("the prefix: {error}"))?;
        for &mv in unit.candidates.iter().flatten() {
            let moves: Vec<Move> = unit.prefix.iter().copied().chain([mv]).collect();
            referee::replay_from(&params.start, variant, &moves)
                .map_err(|error| format!("the candidates: {error}"))?;
        }
        let call = match call {
            Some(CallParcel { level, first, policy }) => {
                let policy = Snapshot::from_entries(&policy).ok_or("the policy is out of range")?;
                Some(Call { level, first, policy })
            }
            None => None,
        };
        let shared = HuntContext {
            variant,
            target,
            best: AtomicU32::new(best),
            novelty: keep_from.map(|least| Novelty::new(variant, least).from_start(&params.start)),
            params,
            waiting: AtomicUsize::new(0),
            trap: None,
        };
        let opened = HuntUnit::new(&Arc::new(shared), NumberedUnit { id, unit, call }, None);
        if let Some(StateParcel { iterations, best, saved }) = begun {
            opened.progress.iterations.store(iterations, Ordering::Relaxed);
            opened.progress.best.store(best, Ordering::Relaxed);
            opened.progress.sent.store(iterations, Ordering::Relaxed);
            opened.progress.offer(Offered { iterations, best, saved });
        }
        Ok(opened)
    }
}

impl HuntUnit {
    fn parcel_of(find: FreshFind) -> FindParcel {
        let FreshFind { moves, iterations, at, .. } = find;
        FindParcel { moves, iterations, age: at.elapsed().as_micros() as u64 }
    }

    /// A find of the machine, which the referee has passed.
    fn find_of(&self, worker: u32, find: FindParcel) -> Result<FreshFind, String> {
        let FindParcel { moves, iterations, age } = find;
        check_moves(&self.shared.params.start, self.shared.variant, &moves, self.work.id)
            .map_err(|error| error.to_string())?;
        let at = Instant::now();
        let at = at.checked_sub(Duration::from_micros(age)).unwrap_or(at);
        Ok(FreshFind { worker, unit_seed: self.work.unit.seed, moves, iterations, at })
    }

    /// Whether the best score that the machine says it has can be: a better one than all comes with its grid.
    fn check_best(&self, best: u32) -> Result<(), String> {
        let known = self.shared.best.load(Ordering::Relaxed);
        if best > known { Err(format!("it says that it has {best} moves, and shows no such grid")) } else { Ok(()) }
    }
}

impl Portable<HuntReport, HuntOutcome> for HuntUnit {
    /// As with [`begin`](crate::queue::Unit::begin): the third attempt starts anew.
    fn pack(&self, attempt: u32) -> Vec<u8> {
        let HuntContext { variant, params, target, best, novelty, .. } = &*self.shared;
        drop(self.begun.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take());
        let begun = self.progress.offered().filter(|_| attempt <= 2).map(|offered| {
            let Offered { iterations, best, saved } = &*offered;
            StateParcel { iterations: *iterations, best: *best, saved: saved.clone() }
        });
        let call = self.work.call.as_ref().map(|Call { level, first, policy }| CallParcel {
            level: *level,
            first: *first,
            policy: policy.entries().to_vec(),
        });
        let parcel = HuntParcel {
            variant: *variant,
            params: serde_json::to_string(params).expect("parameters can be written as JSON"),
            target: *target,
            best: best.load(Ordering::Relaxed),
            keep_from: novelty.as_ref().map(Novelty::keep_from),
            id: self.work.id,
            unit: self.work.unit.clone(),
            call,
            begun,
        };
        Parcel::Hunt(parcel).to_bytes()
    }

    fn unpack(&self, worker: u32, message: &[u8]) -> Result<Unpacked<HuntReport, HuntOutcome>, String> {
        let word = decode::<HuntWord>(message).ok_or("its words about a hunt cannot be read")?;
        let progress = &self.progress;
        progress.worker.store(worker, Ordering::Relaxed);
        Ok(match word {
            HuntWord::Improved(find) => {
                let find = self.find_of(worker, find)?;
                let score = find.moves.len() as u32;
                if self.shared.best.fetch_max(score, Ordering::Relaxed) < score {
                    Unpacked::Report(HuntReport::Improved(find))
                } else {
                    Unpacked::Noted
                }
            }
            HuntWord::Found(find) => {
                let find = self.find_of(worker, find)?;
                let novelty = self.shared.novelty.as_ref();
                match novelty.and_then(|novelty| Offers::to(novelty).settle(&find.moves)) {
                    Some(key) => Unpacked::Report(HuntReport::Found(key, find)),
                    None => Unpacked::Noted,
                }
            }
            HuntWord::Refused(what) => return Err(format!("its referee refuses a grid of its search: {what}")),
            HuntWord::Figures { iterations, best } => {
                self.check_best(best)?;
                progress.iterations.store(iterations, Ordering::Relaxed);
                progress.best.store(best, Ordering::Relaxed);
                Unpacked::Noted
            }
            HuntWord::State(StateParcel { iterations, best, saved }) => {
                self.check_best(best)?;
                let HuntContext { variant, params, .. } = &*self.shared;
                // A state that no search could have saved would end the next attempt.
                self.work.resume(*variant, params, &saved).map_err(|error| format!("its state: {error}"))?;
                progress.offer(Offered { iterations, best, saved });
                Unpacked::Advanced
            }
            HuntWord::Reached => {
                let best = self.shared.best.load(Ordering::Relaxed);
                if self.shared.target.is_none_or(|target| best < target) {
                    return Err("it says that the target is reached, and shows no such grid".to_owned());
                }
                progress.worker.store(NOBODY, Ordering::Relaxed);
                Unpacked::Outcome(HuntOutcome::Reached)
            }
            HuntWord::Ended { end, iterations, best, results, game } => {
                self.check_best(best)?;
                if game.is_some() != self.work.call.is_some() {
                    return Err("its outcome is not one of this unit".to_owned());
                }
                if let Some(game) = &game {
                    check_moves(&self.shared.params.start, self.shared.variant, game, self.work.id)
                        .map_err(|error| error.to_string())?;
                }
                progress.iterations.store(iterations, Ordering::Relaxed);
                progress.best.store(best, Ordering::Relaxed);
                progress.worker.store(NOBODY, Ordering::Relaxed);
                Unpacked::Outcome(HuntOutcome::Ended(UnitResult { end, iterations, best, results, game }))
            }
        })
    }

    fn order(&self) -> Option<Vec<u8>> {
        let wanted = &self.progress.wanted;
        let is_wanted = wanted.load(Ordering::Relaxed) && wanted.swap(false, Ordering::Relaxed);
        is_wanted.then(|| encode(&HuntOrder::State))
    }

    fn given_back(&self) {
        self.progress.worker.store(NOBODY, Ordering::Relaxed);
    }

    fn pack_report(&self, report: HuntReport) -> Vec<u8> {
        encode(&match report {
            HuntReport::Improved(find) => HuntWord::Improved(HuntUnit::parcel_of(find)),
            HuntReport::Found(_, find) => HuntWord::Found(HuntUnit::parcel_of(find)),
            HuntReport::Refused(error) => HuntWord::Refused(error.to_string()),
        })
    }

    fn pack_outcome(&self, outcome: HuntOutcome) -> Vec<u8> {
        encode(&match outcome {
            HuntOutcome::Ended(UnitResult { end, iterations, best, results, game }) => {
                HuntWord::Ended { end, iterations, best, results, game }
            }
            HuntOutcome::Reached => HuntWord::Reached,
        })
    }

    fn news(&self) -> Vec<Vec<u8>> {
        let progress = &self.progress;
        let mut words = Vec::new();
        let (iterations, best) = (progress.iterations.load(Ordering::Relaxed), progress.best.load(Ordering::Relaxed));
        words.push(encode(&HuntWord::Figures { iterations, best }));
        if let Some(offered) = progress.offered()
            && progress.sent.swap(offered.iterations, Ordering::Relaxed) != offered.iterations
        {
            let Offered { iterations, best, saved } = &*offered;
            let state = StateParcel { iterations: *iterations, best: *best, saved: saved.clone() };
            words.push(encode(&HuntWord::State(state)));
        }
        words
    }

    /// Known where the unit ends after a number of iterations.
    fn fraction(&self) -> Option<f64> {
        let most = self.work.unit.max_iterations?.max(1);
        Some(self.progress.iterations.load(Ordering::Relaxed) as f64 / most as f64)
    }

    fn obey(&self, order: &[u8]) -> Result<(), String> {
        let HuntOrder::State = decode(order).ok_or("the order cannot be read")?;
        self.progress.wanted.store(true, Ordering::Relaxed);
        Ok(())
    }
}
