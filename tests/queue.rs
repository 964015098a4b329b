//! The backends of the queue, each held to the conformance suite.

mod conformance;

use conformance::{Count, Nature, Probe};
use crossbeam_channel::{Receiver, unbounded};
use morpion::queue::any::{AnyUnit, TypedQueue};
use morpion::queue::copies::{UnitCopies, UnitCopy};
use morpion::queue::effort::{Contributor, Effort};
use morpion::queue::local::seat::{Seat, SeatGroup};
use morpion::queue::local::{Local, LocalOptions};
use morpion::queue::{LaneId, Message, Portable, Queue, Stop, Terms};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

#[test]
fn the_local_queue_conforms() {
    conformance::all(|workers, options| Box::new(Local::new(workers, options).expect("threads can be started")));
}

#[test]
fn a_queue_of_any_units_conforms() {
    conformance::all(|workers, options| {
        let local = Local::<AnyUnit>::new(workers, options).expect("threads can be started");
        Box::new(TypedQueue(Arc::new(local)))
    });
}

/// A lane of a queue without threads, and a seat there with its group.
fn seated() -> (SeatedQueue, Seat<Count>, LaneId, Receiver<Message<Count>>) {
    let local = Local::<Count>::new(0, LocalOptions::default()).unwrap();
    let (sender, inbox) = unbounded();
    let lane = local.open(Terms::default(), sender.into());
    let group = local.seat_group(|| ());
    let seat = group.seat();
    (SeatedQueue { local, group }, seat, lane, inbox)
}

/// A queue without threads, and a group of seats there.
struct SeatedQueue {
    local: Local<Count>,
    group: SeatGroup<Count>,
}

impl std::ops::Deref for SeatedQueue {
    type Target = Local<Count>;

    fn deref(&self) -> &Local<Count> {
        &self.local
    }
}

#[test]
fn what_a_seat_takes_is_computed_elsewhere() {
    let (local, mut seat, lane, inbox) = seated();
    assert_eq!((local.size(), local.elsewhere(), seat.take()), (1, 1, None));
    let probe = Arc::default();
    local.put(lane, 7, Count::new(7, 3, Nature::Plain, &probe)).unwrap();
    let packed = seat.take().expect("a unit");
    assert_eq!((seat.unit(), seat.take(), local.activity(lane).running), (Some((lane, 7)), None, 1));
    let elsewhere = Count::open(&packed).unwrap();
    assert_eq!(seat.hear(&elsewhere.pack_report(2)), Ok(false));
    assert!(matches!(inbox.try_recv(), Ok(Message::Report { unit: 7, report: 2 })));
    assert!(seat.hear(b"\xff nonsense").is_err(), "and the unit is still there");
    assert_eq!(seat.hear(&elsewhere.pack_outcome(3)), Ok(true));
    assert!(matches!(inbox.try_recv(), Ok(Message::Done { unit: 7, worker: 1, outcome: 3, .. })));
    assert_eq!((seat.is_free(), local.activity(lane).running, local.activity(lane).waiting), (true, 0, 0));
}

#[test]
fn an_outcome_tells_who_has_worked_on_it() {
    let (local, mut seat, lane, inbox) = seated();
    let probe = Arc::default();
    local.put(lane, 7, Count::new(7, 3, Nature::Plain, &probe)).unwrap();
    let [ada, bob, eve] = ["ada", "bob", "eve"].map(|user| Arc::new(Contributor::new(Some(user), None, "box", 1)));
    let pause = Duration::from_millis(20);
    // Of what is lost or fails nothing is used, and of what is given back only what others continue from.
    for lost in 0..3 {
        assert!(seat.take().is_some());
        seat.computed_by(&eve);
        std::thread::sleep(pause);
        match lost {
            0 => seat.lose("eve's"),
            1 => seat.fail("it fails".to_owned()),
            _ => seat.give_back(),
        }
    }
    let elsewhere = Count::open(&seat.take().expect("a unit")).unwrap();
    let began = Instant::now();
    seat.computed_by(&ada);
    std::thread::sleep(pause);
    elsewhere.news().iter().for_each(|word| assert_eq!(seat.hear(word), Ok(false)));
    let of_ada = began.elapsed();
    std::thread::sleep(pause);
    seat.give_back();
    assert!(seat.take().is_some());
    std::thread::sleep(pause);
    // It begins to count when somebody says that it is at it.
    let began = Instant::now();
    seat.computed_by(&bob);
    std::thread::sleep(pause);
    seat.computed_by(&bob);
    assert_eq!(seat.hear(&elsewhere.pack_outcome(3)), Ok(true));
    let longest = [of_ada, began.elapsed()];
    let done = inbox.try_iter().last();
    let Some(Message::Done { efforts, .. }) = done else { panic!("{done:?}") };
    let told: Vec<&str> = efforts.all().iter().map(|effort| effort.by.as_ref().unwrap().user.as_str()).collect();
    assert_eq!(told, ["ada", "bob"]);
    for (effort, longest) in efforts.all().iter().zip(longest) {
        assert!((pause..=longest).contains(&effort.time), "{effort:?}, at most {longest:?}");
    }
}

#[test]
fn a_thread_is_nobody_in_particular() {
    let local = Local::<Count>::new(1, LocalOptions::default()).unwrap();
    let (sender, inbox) = unbounded();
    let lane = local.open(Terms::default(), sender.into());
    local.put(lane, 1, Count::new(1, 3, Nature::Plain, &Arc::default())).unwrap();
    let done = inbox.iter().find(|message| matches!(message, Message::Done { .. }));
    let Some(Message::Done { efforts, .. }) = done else { panic!("{done:?}") };
    assert!(matches!(efforts.all(), [Effort { by: None, .. }]), "{efforts:?}");
}

#[test]
fn a_seat_that_goes_leaves_its_unit_to_others() {
    let (local, mut seat, lane, inbox) = seated();
    local.put(lane, 7, Count::new(7, 3, Nature::Plain, &Arc::default())).unwrap();
    assert!(seat.take().is_some());
    drop(seat);
    assert_eq!((local.elsewhere(), local.activity(lane).running, local.activity(lane).waiting), (0, 0, 1));
    let mut seat = local.group.seat();
    assert_eq!(seat.worker(), 1, "the place is used again");
    // That a machine is lost is not the unit's fault, unless it happens again and again.
    for lost in 1..=5 {
        assert!(seat.take().is_some());
        seat.lose("lab-1");
        assert_eq!(inbox.len(), usize::from(lost == 5));
    }
    match inbox.try_recv() {
        Ok(Message::Failed { unit: 7, attempts: 1, error, quarantined: false }) => assert!(error.contains("lab-1")),
        other => panic!("{other:?}"),
    }
    // Nor is it where the unit comes further each time, however often it happens.
    for _ in 0..20 {
        let elsewhere = Count::open(&seat.take().expect("a unit")).unwrap();
        assert_eq!(seat.hear(&elsewhere.news()[0]), Ok(false));
        seat.lose("lab-1");
    }
    assert!(inbox.is_empty());
    // A lane that is halted, closed or outranked has the unit back.
    assert!(seat.take().is_some());
    assert_eq!(seat.stop(Duration::ZERO), None);
    assert!(!local.halt(lane, Duration::ZERO));
    assert_eq!(seat.stop(Duration::from_secs(60)), Some(Stop::Halted));
    seat.give_back();
    assert!(local.halt(lane, Duration::ZERO) && seat.take().is_none());
    local.go_on(lane);
    assert!(seat.take().is_some());
    local.adjust(lane, Terms { workers: Some(0), ..Terms::default() });
    assert_eq!(seat.stop(Duration::from_secs(60)), Some(Stop::Preempted));
    local.close(lane);
    seat.give_back();
    assert!(seat.take().is_none());
}

/// A unit that would begin anew elsewhere is interrupted for jobs of a higher priority alone.
#[test]
fn a_unit_that_begins_anew_keeps_its_seat() {
    for begins_anew in [false, true] {
        let (local, mut seat, lane, _inbox) = seated();
        let probe = Arc::default();
        let unit = Count::new(1, 3, Nature::Plain, &probe);
        local.put(lane, 1, if begins_anew { unit.beginning_anew() } else { unit }).unwrap();
        assert!(seat.take().is_some());
        std::thread::sleep(Duration::from_millis(30));
        let (sender, _other_inbox) = unbounded();
        let other = local.open(Terms::default(), sender.into());
        local.put(other, 2, Count::new(2, 3, Nature::Plain, &probe)).unwrap();
        // The other lane has had nothing yet; so much is a share of this one.
        let mut given_way = None;
        for _ in 0..40 {
            std::thread::sleep(Duration::from_millis(50));
            given_way = given_way.or(seat.stop(Duration::ZERO));
        }
        assert_eq!(given_way, (!begins_anew).then_some(Stop::Preempted));
        local.adjust(other, Terms { priority: 1, ..Terms::default() });
        assert_eq!(seat.stop(Duration::from_secs(60)), Some(Stop::Preempted), "begins anew: {begins_anew}");
    }
}

#[test]
fn units_that_were_begun_here_stay_with_the_threads() {
    let local = Local::<Count>::new(1, LocalOptions::default()).unwrap();
    let (sender, inbox) = unbounded();
    let lane = local.open(Terms { threads: Some(1), ..Terms::default() }, sender.into());
    let probe: Arc<Probe> = Arc::default();
    // It does not end before it has been looked at.
    probe.hold(2);
    local.put(lane, 1, Count::new(1, 100, Nature::Plain, &probe)).unwrap();
    while local.activity(lane).running == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let group = local.seat_group(|| ());
    let mut seat = group.seat();
    local.put(lane, 2, Count::new(2, 1, Nature::Plain, &probe)).unwrap();
    assert!(local.halt(lane, Duration::from_secs(60)));
    local.adjust(lane, Terms { threads: Some(0), ..Terms::default() });
    local.go_on(lane);
    // The thread may not take one, and the seat not the first.
    assert!(seat.take().is_some());
    assert_eq!((seat.unit(), local.activity(lane).waiting), (Some((lane, 2)), 1));
    local.adjust(lane, Terms::default());
    probe.hold(0);
    let done = inbox.iter().find(|message| matches!(message, Message::Done { unit: 1, outcome: 100, .. }));
    assert!(done.is_some());
}

#[test]
fn the_last_free_seat_calls_for_the_unit_that_is_left() {
    let (local, mut low_seat, low, _inbox) = seated();
    let mut other = local.group.seat();
    let probe = Arc::default();
    local.put(low, 1, Count::new(1, 3, Nature::Plain, &probe)).unwrap();
    assert!(low_seat.take().is_some());
    // Both are put while one seat is free, so neither asks the other seat to give way.
    let (sender, _high_inbox) = unbounded();
    let high = local.open(Terms { priority: 7, ..Terms::default() }, sender.into());
    for unit in [2, 3] {
        local.put(high, unit, Count::new(unit, 3, Nature::Plain, &probe)).unwrap();
    }
    assert_eq!(low_seat.stop(Duration::from_secs(60)), None);
    assert!(other.take().is_some());
    assert_eq!(low_seat.stop(Duration::from_secs(60)), Some(Stop::Preempted));
}

#[test]
fn seats_of_several_groups_and_threads_share_a_queue() {
    let local = Local::<Count>::new(0, LocalOptions::default()).unwrap();
    let (sender, inbox) = unbounded();
    let lane = local.open(Terms::default(), sender.into());
    let told = [(); 2].map(|()| Arc::<AtomicU32>::default());
    let [plain, able] = [0, 1].map(|at| {
        let told = Arc::clone(&told[at]);
        local.seat_group(move || _ = told.fetch_add(1, Ordering::SeqCst))
    });
    able.set_abilities(vec!["linear programs".to_owned()]);
    let (mut of_plain, mut of_able) = (plain.seat(), able.seat());
    assert_eq!((local.size(), local.elsewhere()), (2, 2));
    let before = told.each_ref().map(|told| told.load(Ordering::SeqCst));
    let probe = Arc::default();
    local.put(lane, 1, Count::new(1, 3, Nature::Plain, &probe).needing("linear programs")).unwrap();
    let after = told.each_ref().map(|told| told.load(Ordering::SeqCst));
    assert!(after[0] > before[0] && after[1] > before[1], "both are told: {before:?} {after:?}");
    // What one group can do is not asked of the other.
    assert!(of_plain.take().is_none() && of_able.take().is_some());
    local.put(lane, 2, Count::new(2, 3, Nature::Plain, &probe)).unwrap();
    assert!(of_plain.take().is_some());
    for (seat, unit) in [(&mut of_plain, 2), (&mut of_able, 1)] {
        assert_eq!(seat.hear(&Count::new(unit, 3, Nature::Plain, &probe).pack_outcome(3)), Ok(true));
    }
    assert_eq!(inbox.try_iter().filter(|message| matches!(message, Message::Done { .. })).count(), 2);
    // When that group has gone, what it alone can do waits.
    local.put(lane, 3, Count::new(3, 3, Nature::Plain, &probe).needing("linear programs")).unwrap();
    drop((of_able, able));
    assert_eq!((local.elsewhere(), of_plain.take()), (1, None));
    assert_eq!(local.activity(lane).waiting, 1);
}

#[test]
fn a_machine_computes_one_copy_of_a_unit() {
    let (local, mut one, lane, inbox) = seated();
    let mut two = local.group.seat();
    let [ada, bob] = ["ada", "bob"].map(|user| Arc::new(Contributor::new(Some(user), None, "box", 1)));
    let copies = Arc::<UnitCopies>::default();
    let (probe, count) = (Arc::default(), |unit, probe| Count::new(unit, 3, Nature::Plain, probe));
    for unit in [1, 2] {
        let copy = UnitCopy::new(Arc::clone(&copies), unit);
        local.put(lane, unit, count(unit, &probe).with_copy(copy)).unwrap();
    }
    // Who will fetch them is not known when they are sent.
    assert!(one.take().is_some() && one.admit(&ada));
    assert!(two.take().is_some() && !two.admit(&ada), "ada's other worker has fetched it");
    two.give_back();
    let only_ada = |is_open: &dyn Fn(&Contributor) -> bool| is_open(&ada);
    let also_bob = |is_open: &dyn Fn(&Contributor) -> bool| is_open(&ada) || is_open(&bob);
    assert!(two.take_for(&only_ada).is_none());
    local.group.note_barred(&only_ada);
    assert_eq!((local.activity(lane).waiting, local.activity(lane).barred), (1, 1));
    // Other units are for all, and a worker of ada's is not called away from them for the copy.
    let (sender, _low_inbox) = unbounded();
    let low = local.open(Terms { priority: -1, ..Terms::default() }, sender.into());
    local.put(low, 9, count(9, &probe)).unwrap();
    assert!(two.take_for(&only_ada).is_some() && two.admit(&ada));
    local.adjust(lane, Terms { priority: 5, ..Terms::default() });
    assert_eq!((two.unit(), two.stop(Duration::ZERO)), (Some((low, 9)), None));
    two.give_back();
    local.group.note_barred(&also_bob);
    assert_eq!(local.activity(lane).barred, 0);
    assert!(two.take_for(&also_bob).is_some() && !two.admit(&ada) && two.admit(&bob));
    for (seat, unit) in [(&mut one, 1), (&mut two, 2)] {
        assert_eq!(seat.hear(&count(unit, &probe).pack_outcome(3)), Ok(true));
    }
    assert_eq!(inbox.try_iter().filter(|message| matches!(message, Message::Done { .. })).count(), 2);
}
