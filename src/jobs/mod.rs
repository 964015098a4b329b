//! Jobs: each divides one kind of search into units and absorbs their outcomes. The coordinators of a hunt and of a
//! game tree are pure state machines (no clock, no files, no threads), so that they can be tested, saved and
//! replayed.

pub mod analyse_settings;
pub mod analysing;
pub mod check_settings;
pub mod checking;
pub mod done;
pub mod ending;
pub mod enumerate;
pub mod find;
pub mod hunt;
pub mod hunt_job;
pub mod hunt_settings;
pub mod match_settings;
pub mod matching;
pub mod mine_settings;
pub mod mining;
pub mod numbered;
pub mod pipeline;
pub mod plan_settings;
pub mod planning;
pub mod prove;
pub mod prove_settings;
pub mod reading;
pub mod record;
pub mod selfplay;
pub mod selfplay_settings;
pub mod setup;
pub mod solve;
pub mod solve_settings;
pub mod tactics;
pub mod tactics_settings;
pub mod tree;
pub mod tune_settings;
pub mod tuning;
pub mod work;
