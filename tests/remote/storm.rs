//! Machines, the server and the daemon are killed at random: nothing is lost, and nothing counts twice.

use crate::daemons::program::end;
use crate::daemons::*;
use crate::machines::{MachineProcess, daemon, undisturbed, work};
use crate::server::{self, Server};
use rand::RngExt;
use std::time::{Duration, Instant};

#[test]
fn whatever_is_killed_the_results_are_the_same() {
    if !server::is_there("whatever_is_killed_the_results_are_the_same") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let expected = undisturbed(directory.path());
    let seed = number("MORPION_TEST_SEED", SEED);
    let mut rng = morpion::core::seed::rng(seed, &[6]);
    // In the long form round after round.
    let last = Instant::now() + Duration::from_secs(number("MORPION_TEST_STORM", 0));
    let (mut rounds, mut killed) = (0, [0u32; 3]);
    loop {
        let folder = directory.path().join(format!("round-{rounds}"));
        std::fs::create_dir_all(&folder).unwrap();
        let mut server = Server::start(&folder);
        let state = folder.join("state");
        let threads = rounds % 2;
        let mut program = daemon(&state, &server.url(), threads);
        let ids: Vec<u64> = work().iter().map(|job| program.submit(job)).collect();
        let mut number = 0;
        let mut machine = |url: &str| {
            number += 1;
            MachineProcess::start(url, &format!("machine-{number}"))
        };
        let mut machines = [machine(&server.url()), machine(&server.url())];
        let storm = Instant::now() + Duration::from_secs(12);
        while Instant::now() < storm {
            std::thread::sleep(Duration::from_millis(rng.random_range(100..1500)));
            match rng.random_range(0..6) {
                0 => {
                    killed[0] += 1;
                    server.kill_and_start(Duration::from_millis(rng.random_range(0..1000)));
                }
                1 => {
                    killed[1] += 1;
                    program.kill();
                    program = daemon(&state, &server.url(), threads);
                }
                at => {
                    killed[2] += 1;
                    machines[at % 2] = machine(&server.url());
                }
            }
        }
        let found: Vec<_> = ids.iter().map(|&id| end(&program, id)).collect();
        assert_eq!(found, expected, "seed {seed}, round {rounds}");
        program.stop();
        drop(machines);
        rounds += 1;
        if Instant::now() >= last {
            break;
        }
    }
    let [servers, daemons, machines] = killed;
    println!("seed {seed}: {rounds} rounds; killed: {machines} machines, {servers} servers, {daemons} daemons");
}
