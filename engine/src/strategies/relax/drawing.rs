//! Which line draws which point, and whether one more line can be drawn.
//!
//! In a set that peels each line can *draw* one of its points: its others are of the start, lent, or drawn by lines
//! that it *needs*, and no line needs itself, not even by way of others. There are many ways to choose these
//! points, and all give the same answers. One is kept, so that a line that comes in is looked at together with what
//! it needs, and with nothing else: all other lines can be taken away before, the last drawn first.
//!
//! What is left then, the new line and those that it needs, peels if all go one after the other, each with a point
//! that no other one left has. In the beginning only a lent point can be such a point, since every other one is
//! drawn by one line and needed by another. Mostly there is none, or it is a point of the new line itself.
//!
//! One step of six asks here. So nothing of this is compiled into the loop of steps, of which there is a copy for
//! each vector extension.

use super::lines::{LINES, POINTS, zeros};
use super::tracks::{LineTracks, Overlapped, PlacedLine};
use crate::morpion::start::MOST_SET;
use crate::morpion::variant::Rules;

/// Lines at most. Each that is there has a slot.
pub(super) const SLOTS: usize = 512;
const WORDS: usize = SLOTS / 64;
const _: () = assert!(MOST_SET <= SLOTS);

/// Slots, as bits.
type SlotSet = [u64; WORDS];

/// Who draws a point of the start: it is there from the beginning.
const START: u16 = u16::MAX;
/// Who draws a lent point, or one that no line has.
const NOBODY: u16 = u16::MAX - 1;
/// What a line draws that has only just come in.
const NOTHING: u16 = u16::MAX;

/// How a line can be drawn that has no point of its own.
pub(super) enum WayIn {
    /// It draws this point, which is lent once others have gone.
    Draws(usize),
    /// Others draw other points first, as [`DrawnPoints`] has noted.
    Redrawn,
}

/// Which line draws which point.
pub(super) struct DrawnPoints {
    /// By point: the slot of the line that draws it.
    drawer: Box<[u16; POINTS]>,
    /// The lent points.
    lent: Vec<u16>,
    /// By slot: the point that the line draws, and its number.
    draws: Box<[u16; SLOTS]>,
    number: Box<[u16; SLOTS]>,
    /// By slot: the lines that it needs at once, and those that need it.
    needs: Box<[SlotSet; SLOTS]>,
    needed_by: Box<[SlotSet; SLOTS]>,
    /// By number of a line that is there: its slot.
    slot: Box<[u16; LINES]>,
    /// Slots without a line. The last one is the next to be taken.
    free: Vec<u16>,
    /// Words of a set of slots that can have bits.
    words: usize,
    /// Room for a look at a line: points whose line may go, and what the lines that went draw.
    waiting: Vec<u16>,
    redrawn: Vec<(u16, u16)>,
}

#[inline(always)]
fn has(slots: &[u64], slot: u16) -> bool {
    slots[usize::from(slot) / 64] >> (slot % 64) & 1 == 1
}

#[inline(always)]
fn add(slots: &mut [u64], slot: u16) {
    slots[usize::from(slot) / 64] |= 1 << (slot % 64);
}

#[inline(always)]
fn remove(slots: &mut [u64], slot: u16) {
    slots[usize::from(slot) / 64] &= !(1 << (slot % 64));
}

/// No slots, for each slot.
fn no_slots() -> Box<[SlotSet; SLOTS]> {
    vec![[0; WORDS]; SLOTS].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!("the lengths are equal"))
}

impl DrawnPoints {
    /// No lines and no start.
    pub fn new() -> DrawnPoints {
        let mut drawer: Box<[u16; POINTS]> = zeros();
        drawer.fill(NOBODY);
        DrawnPoints {
            drawer,
            lent: Vec::new(),
            draws: zeros(),
            number: zeros(),
            needs: no_slots(),
            needed_by: no_slots(),
            slot: zeros(),
            free: (0..SLOTS as u16).rev().collect(),
            words: 0,
            waiting: Vec::new(),
            redrawn: Vec::new(),
        }
    }

    /// Makes a point one of the start.
    pub fn add_start(&mut self, point: usize) {
        self.drawer[point] = START;
    }

    /// Gives a line that has come in a slot. It draws nothing yet.
    pub fn put_in<R: Rules>(&mut self, line: PlacedLine) {
        let Some(slot) = self.free.pop() else { unreachable!("a set has at most as many lines as slots") };
        self.words = self.words.max(usize::from(slot) / 64 + 1);
        let at = usize::from(slot);
        (self.slot[line.number], self.number[at], self.draws[at]) = (slot, line.number as u16, NOTHING);
        (self.needs[at], self.needed_by[at]) = ([0; WORDS], [0; WORDS]);
        for point in line.points::<R>() {
            let by = self.drawer[point];
            if by < NOBODY {
                add(&mut self.needs[at], by);
                add(&mut self.needed_by[usize::from(by)], slot);
            }
        }
    }

    /// Takes a line out. The tracks have it no more.
    pub fn take_out<R: Rules>(&mut self, line: PlacedLine, tracks: &LineTracks<R>) {
        let slot = self.slot[line.number];
        self.release(slot, tracks);
        for point in line.points::<R>() {
            match self.drawer[point] {
                START => {}
                NOBODY if tracks.count(point) == 0 => self.no_longer_lent(point),
                NOBODY => {}
                by => remove(&mut self.needed_by[usize::from(by)], slot),
            }
        }
        self.free.push(slot);
    }

    fn no_longer_lent(&mut self, point: usize) {
        if let Some(at) = self.lent.iter().position(|&lent| usize::from(lent) == point) {
            self.lent.swap_remove(at);
        }
    }

    /// Lets a line draw nothing: its point is lent, if other lines have it.
    fn release<R: Rules>(&mut self, slot: u16, tracks: &LineTracks<R>) {
        let point = std::mem::replace(&mut self.draws[usize::from(slot)], NOTHING);
        if point == NOTHING {
            return;
        }
        self.drawer[usize::from(point)] = NOBODY;
        if tracks.count(usize::from(point)) > 0 {
            self.lent.push(point);
            let DrawnPoints { slot: slots, needs, needed_by, .. } = self;
            needed_by[usize::from(slot)] = [0; WORDS];
            tracks.lines_at(usize::from(point), |line| remove(&mut needs[usize::from(slots[line])], slot));
        }
    }

    /// Lets a line draw a point that nobody draws.
    fn draw<R: Rules>(&mut self, slot: u16, point: usize, tracks: &LineTracks<R>) {
        (self.drawer[point], self.draws[usize::from(slot)]) = (slot, point as u16);
        let DrawnPoints { slot: slots, needs, needed_by, .. } = self;
        tracks.lines_at(point, |line| {
            let user = slots[line];
            if user != slot {
                add(&mut needs[usize::from(user)], slot);
                add(&mut needed_by[usize::from(slot)], user);
            }
        });
    }

    /// Lets a line that has come in draw a point of its own. Its other new points are lent.
    pub fn draw_own<R: Rules>(&mut self, line: PlacedLine, own: usize, tracks: &LineTracks<R>) {
        let slot = self.slot[line.number];
        (self.drawer[own], self.draws[usize::from(slot)]) = (slot, own as u16);
        let is_new = |&point: &usize| point != own && tracks.count(point) == 1 && self.drawer[point] == NOBODY;
        self.lent.extend(line.points::<R>().filter(is_new).map(|point| point as u16));
    }

    /// Lets a line that has come in draw what [`DrawnPoints::entry`] found for it.
    pub fn draw_entry<R: Rules>(&mut self, line: PlacedLine, entry: &WayIn, tracks: &LineTracks<R>) {
        match *entry {
            WayIn::Draws(point) => {
                self.no_longer_lent(point);
                self.draw(self.slot[line.number], point, tracks);
            }
            WayIn::Redrawn => {
                for at in 0..self.redrawn.len() {
                    self.release(self.slot[usize::from(self.redrawn[at].0)], tracks);
                }
                for at in 0..self.redrawn.len() {
                    let (line, point) = self.redrawn[at];
                    self.no_longer_lent(usize::from(point));
                    self.draw(self.slot[usize::from(line)], usize::from(point), tracks);
                }
            }
        }
    }

    /// Lets lines draw points, as a whole game says. All that is not drawn is lent.
    pub fn draw_all<R: Rules>(&mut self, drawn: impl Iterator<Item = (usize, usize)>, tracks: &LineTracks<R>) {
        for (line, point) in drawn {
            self.draw(self.slot[line], point, tracks);
        }
        let is_lent = |&point: &usize| tracks.count(point) > 0 && self.drawer[point] == NOBODY;
        self.lent = (0..POINTS).filter(is_lent).map(|point| point as u16).collect();
    }

    /// How a line can be drawn that has no point of its own once others have gone for it; nothing if it cannot.
    pub fn entry<R: Rules>(
        &mut self,
        line: PlacedLine,
        others: &Overlapped,
        tracks: &LineTracks<R>,
    ) -> Option<WayIn> {
        match self.words {
            0..=2 => self.entry_by_words::<R, 2>(line, others, tracks),
            3..=4 => self.entry_by_words::<R, 4>(line, others, tracks),
            _ => self.entry_by_words::<R, WORDS>(line, others, tracks),
        }
    }

    /// [`DrawnPoints::entry`], where slots have so many words.
    fn entry_by_words<R: Rules, const W: usize>(
        &mut self,
        line: PlacedLine,
        others: &Overlapped,
        tracks: &LineTracks<R>,
    ) -> Option<WayIn> {
        let mut gone = [0; W];
        others.lines().iter().for_each(|other| add(&mut gone, self.slot[other.number]));
        // What the line needs at once, and its points that would be lent.
        let (mut front, mut own, mut owns) = ([0; W], [0; 5], 0);
        for point in line.points::<R>() {
            match self.drawer[point] {
                START => {}
                by if by != NOBODY && !has(&gone, by) => add(&mut front, by),
                _ => {
                    own[owns] = point;
                    owns += 1;
                }
            }
        }
        let own = &own[..owns];
        // If nothing is lent but the point of the line that goes, and the new line has it, all turns on whether that
        // line needs one that needs the point.
        let mut decides = [0; W];
        let is_decided = self.lent.is_empty() && owns == 1 && others.lines().len() == 1;
        if is_decided {
            let slot = usize::from(self.slot[others.lines()[0].number]);
            decides.copy_from_slice(&self.needed_by[slot][..W]);
            if (0..W).any(|word| decides[word] & front[word] != 0) {
                return None;
            }
        }
        let mut left = [0; W];
        (0..W).for_each(|word| left[word] = front[word] | gone[word]);
        while (0..W).any(|word| front[word] != 0) {
            for word in 0..W {
                while front[word] != 0 {
                    let needs = &self.needs[64 * word + front[word].trailing_zeros() as usize];
                    front[word] &= front[word] - 1;
                    let mut met = 0;
                    for word in 0..W {
                        let new = needs[word] & !left[word];
                        left[word] |= new;
                        front[word] |= new;
                        met |= new & decides[word];
                    }
                    if met != 0 {
                        return None;
                    }
                }
            }
        }
        (0..W).for_each(|word| left[word] &= !gone[word]);
        if is_decided {
            return Some(WayIn::Draws(own[0]));
        }
        if let Some(&point) = own.iter().find(|&&point| self.lines_left(&left, point, tracks).0 == 0) {
            return Some(WayIn::Draws(point));
        }
        self.waiting.clear();
        self.redrawn.clear();
        let is_own = |point: usize| line.points::<R>().any(|other| other == point);
        for at in 0..self.lent.len() {
            let point = self.lent[at];
            if !is_own(usize::from(point)) && self.lines_left(&left, usize::from(point), tracks).0 == 1 {
                self.waiting.push(point);
            }
        }
        for other in others.lines() {
            let slot = usize::from(self.slot[other.number]);
            let users: u32 = (0..W).map(|word| (left[word] & self.needed_by[slot][word]).count_ones()).sum();
            if users == 1 && !is_own(usize::from(self.draws[slot])) {
                self.waiting.push(self.draws[slot]);
            }
        }
        while let Some(point) = self.waiting.pop() {
            let (count, slot) = self.lines_left(&left, usize::from(point), tracks);
            let is_own_point = is_own(usize::from(point));
            if count + usize::from(is_own_point) != 1 {
                continue;
            }
            if is_own_point {
                self.redrawn.push((line.number as u16, point));
                return Some(WayIn::Redrawn);
            }
            let number = self.number[usize::from(slot)];
            self.redrawn.push((number, point));
            remove(&mut left, slot);
            for point in PlacedLine::new(usize::from(number)).points::<R>() {
                let lines = || self.lines_left(&left, point, tracks).0 + usize::from(is_own(point));
                if self.drawer[point] != START && lines() == 1 {
                    self.waiting.push(point as u16);
                }
            }
        }
        None
    }

    /// How many lines of a set have a point, and the slot of the last one.
    fn lines_left<R: Rules>(&self, left: &[u64], point: usize, tracks: &LineTracks<R>) -> (usize, u16) {
        let (mut count, mut last) = (0, 0);
        tracks.lines_at(point, |line| {
            let slot = self.slot[line];
            if has(left, slot) {
                (count, last) = (count + 1, slot);
            }
        });
        (count, last)
    }

    /// Makes sure that each line draws a point, that needs are those of a recount and no line needs itself, and that
    /// what is lent is what nobody draws.
    #[cfg(test)]
    pub fn check<R: Rules>(&self, lines: &[u16], tracks: &LineTracks<R>) {
        assert_eq!(self.lent.len(), tracks.drawn() - lines.len());
        for point in self.lent.iter().map(|&point| usize::from(point)) {
            assert!(tracks.count(point) > 0 && self.drawer[point] == NOBODY);
        }
        let slots: Vec<u16> = lines.iter().map(|&line| self.slot[usize::from(line)]).collect();
        let (mut needs, mut needed_by) = (no_slots(), no_slots());
        for (&line, &slot) in lines.iter().zip(&slots) {
            let at = usize::from(slot);
            assert_eq!((self.number[at], self.drawer[usize::from(self.draws[at])]), (line, slot));
            for point in PlacedLine::new(usize::from(line)).points::<R>() {
                let by = self.drawer[point];
                if by < NOBODY && by != slot {
                    add(&mut needs[at], by);
                    add(&mut needed_by[usize::from(by)], slot);
                }
            }
        }
        for &slot in &slots {
            let at = usize::from(slot);
            assert_eq!((needs[at], needed_by[at]), (self.needs[at], self.needed_by[at]));
        }
        // Lines that need none left go, until all have gone.
        let mut left = slots;
        while !left.is_empty() {
            let before = left.clone();
            left.retain(|&slot| before.iter().any(|&other| has(&needs[usize::from(slot)], other)));
            assert!(left.len() < before.len(), "lines need each other");
        }
    }
}
