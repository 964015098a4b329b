//! Machines, the server and the daemon are killed at random, and in network namespaces their links are cut and
//! slowed, and their connections fall silent: nothing is lost, and nothing counts twice.

use crate::daemons::program::{Program, end};
use crate::daemons::*;
use crate::installation::{MachineProcess, daemon, machines};
use crate::machines::{expected, undisturbed, work};
use crate::network::{self, Network, Wanted};
use crate::proxy::Proxy;
use crate::server::{self, Server};
use async_nats::jetstream;
use morpion::queue::nats::message::Names;
use rand::{Rng, RngExt};
use serde_json::{Value, json};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How many workers the machines in namespaces have. The first one is connected with the server itself, the others by
/// way of proxies.
const PLACES: [u32; 3] = [1, 1, 2];

/// More work, for long forms with namespaces.
fn more_work() -> Vec<Value> {
    let hunts = [
        json!({ "strategy": "reshape", "patience": "1M", "runs": 3, "seed": 21, "keep_from": 120 }),
        json!({ "strategy": "regrow", "variant": "5D", "patience": "20k", "runs": 1, "seed": 22, "keep_from": 70 }),
        json!({ "strategy": "temper", "variant": "4D", "patience": "400k", "runs": 8, "seed": 23, "keep_from": 34 }),
        json!({ "strategy": "permute", "variant": "5D", "patience": "100k", "runs": 4, "seed": 24, "keep_from": 70 }),
        json!({ "strategy": "nmcs", "variant": "4T", "level": 2, "runs": 10, "seed": 25, "keep_from": 56 }),
        json!({ "strategy": "nrpa", "variant": "5D", "level": 5, "iterations": 15, "runs": 2, "seed": 26, "keep_from": 73 }),
    ];
    let solutions = [
        json!({ "game": "reversi", "size": "4x6", "unit_budget": "5k" }),
        json!({ "game": "reversi", "size": "4x6", "unit_budget": "20k", "quorum": 2, "feeder": "random", "seed": 3 }),
        json!({ "game": "reversi", "size": "5x6", "unit_budget": "500k" }),
        json!({ "game": "go", "size": 3, "unit_budget": "5k" }),
    ];
    let hunts = hunts.into_iter().map(|settings| json!({ "kind": "hunt", "settings": settings }));
    let solutions = solutions.into_iter().map(|settings| json!({ "kind": "solve", "settings": settings }));
    hunts.chain(solutions).collect()
}

/// Work of minutes, for storms of half an hour and more: Reversi 6x6, and with the solver of linear programs a proof.
fn long_work() -> Vec<Value> {
    let solution = json!({ "kind": "solve", "settings": { "game": "reversi", "size": "6x6" } });
    let rosin = json!({ "moves": 83, "hull": grid_text("5D-82-rosin.txt") });
    let proof = cfg!(feature = "prove").then(|| json!({ "kind": "prove", "settings": rosin }));
    [solution].into_iter().chain(proof).collect()
}

/// How often something was done, and for how long in all.
#[derive(Default)]
struct Spells {
    number: u32,
    time: Duration,
}

impl Spells {
    fn add(&mut self, time: Duration) {
        self.number += 1;
        self.time += time;
    }
}

impl fmt::Display for Spells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} times ({:.0} s in all)", self.number, self.time.as_secs_f64())
    }
}

/// What was done to a daemon and its machines, and what they did.
#[derive(Default)]
struct Figures {
    rounds: u32,
    /// How often machines, the server and the daemon were killed.
    killed: [u32; 3],
    cut: Spells,
    slowed: Spells,
    delayed: Spells,
    silenced: u32,
    /// Units that ended in rounds in which machines computed all of them, and turns that they took.
    units: u64,
    turns: u64,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [machines, servers, daemons] = self.killed;
        write!(f, "{} rounds; killed: {machines} machines, {servers} servers, {daemons} daemons", self.rounds)?;
        let Figures { cut, slowed, delayed, silenced, .. } = self;
        if cut.number + slowed.number + delayed.number + silenced > 0 {
            write!(
                f,
                "; links cut {cut}, slowed {slowed}, made longer {delayed}; {silenced} connections fell silent"
            )?;
        }
        write!(f, "; {} turns for {} units that machines alone computed", self.turns, self.units)
    }
}

/// What can be done to a daemon and its machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blow {
    KillMachine,
    KillServer,
    KillDaemon,
    Cut,
    Slow,
    Delay,
    Silence,
}

/// Without namespaces.
const KILLS: [(Blow, u32); 3] = [(Blow::KillServer, 1), (Blow::KillDaemon, 1), (Blow::KillMachine, 4)];

/// How likely each blow is in a round with namespaces. In some the daemon and the server live long, in others they
/// are killed all the time.
fn weather(rng: &mut impl Rng) -> [(Blow, u32); 7] {
    let mut upto = |blow, most| (blow, rng.random_range(0..=most));
    [
        upto(Blow::KillMachine, 3),
        upto(Blow::KillServer, 1),
        upto(Blow::KillDaemon, 1),
        (Blow::Cut, 3),
        upto(Blow::Slow, 3),
        upto(Blow::Delay, 2),
        upto(Blow::Silence, 3),
    ]
}

fn draw(rng: &mut impl Rng, blows: &[(Blow, u32)]) -> Blow {
    let mut at = rng.random_range(0..blows.iter().map(|(_, weight)| weight).sum());
    for &(blow, weight) in blows {
        if at < weight {
            return blow;
        }
        at -= weight;
    }
    unreachable!("one of them was drawn")
}

/// A trouble that passes.
struct Trouble {
    what: Blow,
    place: usize,
    since: Instant,
    until: Instant,
}

/// A daemon, its machines and the server between them. They are dropped in this order.
struct Scene<'a> {
    program: Program,
    machines: Vec<MachineProcess>,
    /// In namespaces: those of all machines but the first one, and the daemon's.
    proxies: Vec<Proxy>,
    server: Server,
    state: PathBuf,
    threads: u32,
    network: Option<&'a Network>,
    troubles: Vec<Trouble>,
    /// Machines that were started.
    started: u32,
}

impl<'a> Scene<'a> {
    fn new(folder: &Path, threads: u32, network: Option<&'a Network>) -> Scene<'a> {
        let (server, mut proxies) = match network {
            Some(network) => {
                let server = Server::start_at(folder, network.address);
                let proxy = |_| Proxy::start(network.address.into(), server.address());
                let proxies = PLACES.iter().map(proxy).collect();
                (server, proxies)
            }
            None => (Server::start(folder), Vec::<Proxy>::new()),
        };
        let state = folder.join("state");
        let flags = [format!("--threads={threads}")];
        let program = daemon(&state, &proxies.last().map_or(server.url(), Proxy::url), &flags);
        let machines = Vec::new();
        proxies.truncate(PLACES.len());
        let troubles = Vec::new();
        let mut scene = Scene { program, machines, proxies, server, state, threads, network, troubles, started: 0 };
        for place in 0..network.map_or(2, |_| PLACES.len()) {
            let machine = scene.machine(place);
            scene.machines.push(machine);
        }
        scene
    }

    fn daemon_url(&self) -> String {
        self.proxies.last().map_or(self.server.url(), Proxy::url)
    }

    /// Starts the machine of a place.
    fn machine(&mut self, place: usize) -> MachineProcess {
        self.started += 1;
        let name = format!("machine-{}", self.started);
        match self.network {
            None => MachineProcess::start(&self.server.url(), &name),
            Some(network) => {
                let url = if place == 0 { self.server.url() } else { self.proxies[place - 1].url() };
                let program = network.command(place, env!("CARGO_BIN_EXE_morpion"));
                MachineProcess::launch(program, &url, &name, PLACES[place])
            }
        }
    }

    fn strike(&mut self, blow: Blow, rng: &mut impl Rng, is_long: bool, figures: &mut Figures) {
        let place = rng.random_range(0..self.machines.len());
        // A place has one trouble of a kind.
        if self.troubles.iter().any(|trouble| trouble.what == blow && trouble.place == place) {
            return;
        }
        let millis = match blow {
            // Longer than a turn waits for its worker, and than a lease.
            Blow::Cut if is_long && rng.random_range(0..12) == 0 => rng.random_range(45_000..140_000),
            Blow::Cut => rng.random_range(200..20_000),
            _ => rng.random_range(2_000..20_000),
        };
        let since = Instant::now();
        let trouble = Trouble { what: blow, place, since, until: since + Duration::from_millis(millis) };
        match (blow, self.network) {
            (Blow::KillMachine, _) => {
                figures.killed[0] += 1;
                self.machines[place] = self.machine(place);
            }
            (Blow::KillServer, _) => {
                figures.killed[1] += 1;
                self.server.kill_and_start(Duration::from_millis(rng.random_range(0..1000)));
            }
            (Blow::KillDaemon, _) => {
                figures.killed[2] += 1;
                assert_trusted(&self.program);
                self.program.kill();
                self.program = daemon(&self.state, &self.daemon_url(), &[format!("--threads={}", self.threads)]);
            }
            (Blow::Cut, Some(network)) => {
                network.cut(place);
                self.troubles.push(trouble);
            }
            (Blow::Slow, Some(network)) => {
                network.slow(place, rng.random_range(50..=500));
                self.troubles.push(trouble);
            }
            (Blow::Delay, Some(_)) => {
                self.proxies[place].delay(Duration::from_millis(rng.random_range(20..800)));
                self.troubles.push(trouble);
            }
            (Blow::Silence, Some(_)) => figures.silenced += self.proxies[place].silence(),
            (_, None) => unreachable!("links are in namespaces"),
        }
    }

    /// Ends all troubles.
    fn end_troubles(&mut self, figures: &mut Figures) {
        let now = Instant::now();
        self.troubles.iter_mut().for_each(|trouble| trouble.until = now);
        self.calm(figures);
    }

    /// Ends the troubles that are over.
    fn calm(&mut self, figures: &mut Figures) {
        let now = Instant::now();
        for Trouble { what, place, since, .. } in self.troubles.extract_if(.., |trouble| trouble.until <= now) {
            let spells = match (what, self.network) {
                (Blow::Cut, Some(network)) => {
                    network.mend(place);
                    &mut figures.cut
                }
                (Blow::Slow, Some(network)) => {
                    network.quicken(place);
                    &mut figures.slowed
                }
                (Blow::Delay, _) => {
                    self.proxies[place].delay(Duration::ZERO);
                    &mut figures.delayed
                }
                _ => unreachable!("it passes at once"),
            };
            spells.add(since.elapsed());
        }
    }

    /// Turns that were handed out, as the server counts them.
    fn turns(&self) -> u64 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = async_nats::connect(self.server.url()).await.unwrap();
            let stream =
                jetstream::new(client).get_stream(Names::new("morpion").unwrap().jobs_stream()).await.unwrap();
            stream.cached_info().state.last_sequence
        })
    }
}

/// Whether the same came of a job. Thousands of grids are not shown.
fn assert_same(found: &Value, expected: &Value, what: &str) {
    for (name, expected) in expected.as_object().unwrap() {
        let (found, lists) = (&found[name], found[name].as_array().zip(expected.as_array()));
        match lists {
            Some((found, expected)) if found != expected => {
                let besides: Vec<&Value> = found.iter().filter(|one| !expected.contains(one)).take(3).collect();
                let missing: Vec<&Value> = expected.iter().filter(|one| !found.contains(one)).take(3).collect();
                let (some, all) = (found.len(), expected.len());
                panic!("{what}: {some} {name} instead of {all}; with {besides:?}, without {missing:?}");
            }
            Some(_) => {}
            None => assert_eq!(found, expected, "{what}: {name}"),
        }
    }
}

/// Whatever becomes of their connections, honest machines are trusted.
fn assert_trusted(program: &Program) {
    for machine in machines(program) {
        assert!(machine["refused"] == 0 && machine["state"] != "distrusted", "{machine}");
    }
}

/// Units of a job that have ended. In a solution each of them has been credited, once for each worker that was to
/// agree.
fn units_ended(program: &Program, id: u64) -> u64 {
    let job = program.job(id);
    if job["kind"] != "solve" {
        return job["units_done"].as_u64().unwrap();
    }
    let solution = &job["solution"];
    let unit = |of: &str| solution["units"][of].as_u64().unwrap();
    let statistics = &program.get(&format!("/jobs/{id}/statistics"))["solution"];
    let (accepted, quorum) = (&statistics["total"]["accepted"]["units"], solution["quorum"].as_u64().unwrap());
    let ended = unit("finished") + unit("split");
    let accepted = accepted.as_u64().unwrap();
    assert!((ended * quorum..=unit("made") * quorum).contains(&accepted), "{solution} {statistics}");
    assert_eq!((unit("open"), &solution["contradictions"]), (0, &json!(0)), "{solution}");
    assert_eq!(statistics["total"]["refused"]["units"], 0, "{statistics}");
    ended
}

#[test]
fn whatever_is_killed_or_cut_the_results_are_the_same() {
    let test = "whatever_is_killed_or_cut_the_results_are_the_same";
    let wanted = network::wanted(test);
    if !server::is_there(test) || wanted == Wanted::InVain {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let network = (wanted == Wanted::Yes).then(|| Network::new(PLACES.len()));
    let seconds = number("MORPION_TEST_STORM", 0);
    let mut work = work();
    let expected = if network.is_some() && seconds > 0 {
        work.extend(more_work());
        if seconds >= 1800 {
            work.extend(long_work());
        }
        undisturbed(directory.path(), &work)
    } else {
        expected().clone()
    };
    let seed = number("MORPION_TEST_SEED", SEED);
    let mut rng = morpion::core::seed::rng(seed, &[6]);
    // In the long form round after round.
    let last = Instant::now() + Duration::from_secs(seconds);
    let mut figures = Figures::default();
    loop {
        let round = figures.rounds;
        let folder = directory.path().join(format!("round-{round}"));
        std::fs::create_dir_all(&folder).unwrap();
        let began = Instant::now();
        let mut scene = Scene::new(&folder, round % 2, network.as_ref());
        let ids: Vec<u64> = work.iter().map(|job| scene.program.submit(job)).collect();
        let blows = network.as_ref().map_or(KILLS.to_vec(), |_| weather(&mut rng).to_vec());
        let (storm, pause) = match &network {
            Some(_) if seconds > 0 => (rng.random_range(20..90), rng.random_range(300..5000)),
            None if seconds == 0 => (5, 700),
            _ => (12, 1500),
        };
        let is_over = |program: &Program| ids.iter().all(|&id| program.job(id)["state"] == "finished");
        let storm = began + Duration::from_secs(storm);
        let (mut next, mut looked) = (began, began);
        // Long troubles outlast it.
        while Instant::now() < storm || !scene.troubles.is_empty() {
            std::thread::sleep(Duration::from_millis(100));
            scene.calm(&mut figures);
            if next <= Instant::now() && Instant::now() < storm {
                next = Instant::now() + Duration::from_millis(rng.random_range(100..pause));
                scene.strike(draw(&mut rng, &blows), &mut rng, seconds > 0, &mut figures);
            }
            if looked.elapsed() >= Duration::from_secs(1) {
                looked = Instant::now();
                if is_over(&scene.program) {
                    // A new round has more to be disturbed.
                    scene.end_troubles(&mut figures);
                    break;
                }
            }
        }
        if network.is_none() && seconds == 0 {
            // Machines that were killed last are waited for by this daemon, and not by a new one.
            scene.strike(Blow::KillDaemon, &mut rng, false, &mut figures);
        }
        for (&id, expected) in ids.iter().zip(&expected) {
            assert_same(&end(&scene.program, id), expected, &format!("seed {seed}, round {round}, job {id}"));
        }
        for &id in ids.iter().filter(|&&id| scene.program.job(id)["kind"] == "prove") {
            let file = scene.state.join("jobs").join(id.to_string()).join(morpion::runner::proving::PROOF);
            let checked = morpion::proofs::check::check(&std::fs::read(file).unwrap(), &mut |_, _| {}).unwrap();
            assert!(checked.is_complete(), "seed {seed}, round {round}, job {id}: {checked:?}");
        }
        assert_trusted(&scene.program);
        let units: u64 = ids.iter().map(|&id| units_ended(&scene.program, id)).sum();
        let turns = scene.turns();
        if scene.threads == 0 {
            figures.units += units;
            figures.turns += turns;
        }
        scene.program.stop();
        figures.rounds += 1;
        println!("seed {seed}, round {round}: {:.0} s, {turns} turns, {blows:?}", began.elapsed().as_secs_f64());
        println!("seed {seed}, so far: {figures}");
        if Instant::now() >= last {
            break;
        }
    }
}
