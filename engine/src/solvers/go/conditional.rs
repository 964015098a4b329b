//! A memory of answers that rest on answers not known yet.
//!
//! The question is whether one side, the attacker, can force the end of a game that it wants; a game without end is
//! its failure. So a yes is a finite tree, and holds wherever it is met. A no may be a circle: the defender can
//! always go back to a position that was there before. A search that goes back to position H while H is still open
//! takes it for a no. What it concludes from that holds if H turns out to be a no, whatever the way by which the
//! position in question was reached. For a defender who always stays among positions that are noes in this sense is
//! never beaten. So such a conclusion is stored together with the ancestors that it rests on, its **heads**. While
//! they are open it may be used again, and what is concluded from it rests on them, too. When a head is closed as a
//! no that rests on nothing, what rested on it holds from now on. When it is closed as a no that rests on other
//! heads, what rested on it rests on those. When it is closed as anything else, what rested on it is forgotten.
//!
//! (The problem is the graph-history interaction, A. Palay 1985. The remedy is the evaluation of greatest fixed
//! points on demand, as in tabled logic programming. Here each head has a number, and where the number leads is
//! written down once per head, not once per answer.)

/// Deepest ply that can be a head.
pub const DEEPEST: usize = 255;
/// Bytes of an answer and of a head.
const ANSWER_BYTES: u64 = 16;
const HEAD_BYTES: u64 = 8;
/// Answers at least that there is room for.
const LEAST: usize = 1 << 10;

/// A set of plies up to [`DEEPEST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plies([u64; 4]);

impl Plies {
    /// The set without plies.
    pub const NONE: Plies = Plies([0; 4]);

    /// The set of one ply alone.
    #[inline(always)]
    pub fn one(ply: usize) -> Plies {
        let mut plies = Plies::NONE;
        plies.0[ply / 64 % 4] |= 1 << (ply % 64);
        plies
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// These and others.
    #[inline(always)]
    pub fn add(&mut self, other: &Plies) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
    }

    /// Those above a ply, that is, nearer to the root.
    #[inline(always)]
    pub fn above(&self, ply: usize) -> Plies {
        let mut plies = *self;
        for (i, word) in plies.0.iter_mut().enumerate() {
            let keep = ply.saturating_sub(64 * i);
            *word &= if keep >= 64 { u64::MAX } else { (1 << keep) - 1 };
        }
        plies
    }

    /// All above a ply.
    #[inline]
    pub fn below(ply: usize) -> Plies {
        Plies([u64::MAX; 4]).above(ply)
    }

    /// These without others.
    #[inline(always)]
    pub fn remove(&mut self, other: &Plies) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine &= !theirs;
        }
    }

    /// The deepest ply of the set, if it has any.
    #[inline]
    pub fn deepest(&self) -> Option<usize> {
        (0..4).rev().find(|&i| self.0[i] != 0).map(|i| 64 * i + 63 - self.0[i].leading_zeros() as usize)
    }
}

/// Where the number of a head leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is open, at a ply.
    Open(u32),
    /// It was a no; what rested on it rests on another head.
    Instead(u32),
    /// It was a no that rests on nothing.
    Holds,
    /// It was not such a question.
    Fails,
}

/// What is remembered of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownAnswer {
    /// The attacker fails.
    No,
    /// It fails if it fails at these plies, which are open.
    NoIf(Plies),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ConditionalAnswer {
    key: u64,
    /// Number of the deepest head that it rests on, and 1; 0 if there is nothing here.
    head: u32,
}

/// An open node.
#[derive(Debug, Clone, Copy, Default)]
struct Open {
    /// Its number as a head, and 1; 0 as long as nothing rests on it.
    head: u32,
    /// All that the answers rest on that have it as their deepest head.
    rest: Plies,
}

/// The memory. Keys have to tell apart the questions, too.
#[derive(Debug)]
pub struct Conditional {
    answers: Vec<ConditionalAnswer>,
    used: usize,
    most: usize,
    /// By number of head. The first is none, it only holds.
    fates: Vec<Fate>,
    most_heads: usize,
    open: Vec<Open>,
}

impl Conditional {
    /// One that takes at most about so many bytes, two thirds of them for answers. It begins small.
    pub fn new(bytes: u64) -> Conditional {
        let share = |bytes, of: u64| usize::try_from(bytes / of).unwrap_or(usize::MAX).clamp(2 * LEAST, 1 << 31);
        let most = share(bytes / 3 * 2, ANSWER_BYTES);
        // A power of two, so that it can be doubled.
        let most = 1 << most.ilog2();
        Conditional {
            answers: vec![ConditionalAnswer::default(); LEAST],
            used: 0,
            most,
            fates: vec![Fate::Holds],
            most_heads: share(bytes / 3, HEAD_BYTES),
            open: vec![Open::default(); DEEPEST + 1],
        }
    }

    /// A node is begun at a ply.
    #[inline(always)]
    pub fn begin(&mut self, ply: usize) {
        self.open[ply] = Open::default();
    }

    /// What is known of a position.
    #[inline]
    pub fn get(&mut self, key: u64) -> Option<KnownAnswer> {
        let at = self.place(key);
        let answer = self.answers[at];
        if answer.head == 0 || answer.key != key {
            return None;
        }
        match self.fate(answer.head - 1) {
            Fate::Holds => Some(KnownAnswer::No),
            Fate::Open(ply) => {
                let mut plies = self.open[ply as usize].rest;
                plies.add(&Plies::one(ply as usize));
                Some(KnownAnswer::NoIf(plies))
            }
            Fate::Fails | Fate::Instead(_) => {
                self.answers[at].head = 0;
                self.used = self.used.saturating_sub(1);
                None
            }
        }
    }

    /// Follows a number to a head that is open, or to the end of the question.
    #[inline]
    fn fate(&mut self, head: u32) -> Fate {
        let mut at = head;
        while let Fate::Instead(next) = self.fates[at as usize] {
            at = next;
        }
        let end = self.fates[at as usize];
        // Shorten the way for the next time.
        let mut back = head;
        while let Fate::Instead(next) = self.fates[back as usize] {
            self.fates[back as usize] = if matches!(end, Fate::Open(_)) { Fate::Instead(at) } else { end };
            back = next;
        }
        end
    }

    #[inline(always)]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (self.answers.len() - 1)
    }

    /// Number of the open node at a ply as a head.
    fn head(&mut self, ply: usize) -> u32 {
        if self.open[ply].head == 0 {
            if self.fates.len() >= self.most_heads {
                self.compact();
            }
            self.fates.push(Fate::Open(ply as u32));
            self.open[ply].head = self.fates.len() as u32;
        }
        self.open[ply].head - 1
    }

    /// Forgets the numbers of all heads that are closed: what rested on them holds, rests on another one, or is
    /// forgotten.
    fn compact(&mut self) {
        let mut answers = std::mem::take(&mut self.answers);
        let mut numbers = [0; DEEPEST + 1];
        let mut fates = vec![Fate::Holds];
        for (ply, open) in self.open.iter().enumerate().filter(|(_, open)| open.head != 0) {
            fates.push(Fate::Open(ply as u32));
            numbers[ply] = fates.len() as u32;
            debug_assert_eq!(self.fates[open.head as usize - 1], Fate::Open(ply as u32));
        }
        self.used = 0;
        for answer in answers.iter_mut().filter(|answer| answer.head != 0) {
            answer.head = match self.fate(answer.head - 1) {
                Fate::Holds => 1,
                Fate::Open(ply) => numbers[ply as usize],
                Fate::Fails | Fate::Instead(_) => 0,
            };
            self.used += usize::from(answer.head != 0);
        }
        for (ply, open) in self.open.iter_mut().enumerate().filter(|(_, open)| open.head != 0) {
            open.head = numbers[ply];
        }
        (self.answers, self.fates) = (answers, fates);
    }

    /// Stores that the attacker fails in a position if it fails at `plies`, which are open, above the position, and
    /// at least one.
    pub fn put(&mut self, key: u64, plies: &Plies) {
        let Some(ply) = plies.deepest() else { return };
        let head = self.head(ply);
        self.open[ply].rest.add(&plies.above(ply));
        if 2 * self.used >= self.answers.len() && self.answers.len() < self.most {
            self.grow();
        }
        let at = self.place(key);
        self.used += usize::from(self.answers[at].head == 0);
        self.answers[at] = ConditionalAnswer { key, head: head + 1 };
    }

    fn grow(&mut self) {
        let twice = vec![ConditionalAnswer::default(); 2 * self.answers.len()];
        let old = std::mem::replace(&mut self.answers, twice);
        self.used = 0;
        for answer in old {
            if answer.head != 0 && self.fate(answer.head - 1) != Fate::Fails {
                let at = self.place(answer.key);
                self.used += usize::from(self.answers[at].head == 0);
                self.answers[at] = answer;
            }
        }
    }

    /// The node at a ply is closed: as a no that rests on `no`, all above it, or as something else.
    #[inline]
    pub fn end(&mut self, ply: usize, no: Option<&Plies>) {
        let Open { head, rest } = self.open[ply];
        if head == 0 {
            return;
        }
        // A compaction on the way changes the number of this head, too.
        let fate = match no {
            None => Fate::Fails,
            Some(plies) => {
                let mut all = rest;
                all.add(plies);
                match all.deepest() {
                    None => Fate::Holds,
                    Some(above) => {
                        let instead = self.head(above);
                        self.open[above].rest.add(&all.above(above));
                        Fate::Instead(instead)
                    }
                }
            }
        };
        self.fates[self.open[ply].head as usize - 1] = fate;
        self.open[ply].head = 0;
    }

    /// Ends all that is open, after a search that was stopped.
    pub fn abandon(&mut self) {
        for ply in 0..=DEEPEST {
            self.end(ply, None);
            self.open[ply] = Open::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plies(list: &[usize]) -> Plies {
        list.iter().fold(Plies::NONE, |mut all, &ply| {
            all.add(&Plies::one(ply));
            all
        })
    }

    #[test]
    fn sets_of_plies() {
        let set = plies(&[0, 63, 64, 130, 255]);
        assert_eq!(set.deepest(), Some(255));
        assert_eq!(set.above(255), plies(&[0, 63, 64, 130]));
        assert_eq!(set.above(64), plies(&[0, 63]));
        assert_eq!(set.above(63), plies(&[0]));
        assert_eq!((set.above(0), Plies::NONE.deepest()), (Plies::NONE, None));
        assert!(set.above(0).is_empty() && !set.is_empty());
    }

    #[test]
    fn answers_hold_with_their_heads() {
        let mut memory = Conditional::new(1 << 20);
        (0..10).for_each(|ply| memory.begin(ply));
        memory.put(1, &plies(&[2, 7]));
        memory.put(2, &plies(&[7]));
        memory.put(3, &plies(&[5]));
        assert_eq!(memory.get(1), Some(KnownAnswer::NoIf(plies(&[2, 7]))));
        // Answers of one head share what they rest on.
        assert_eq!(memory.get(2), Some(KnownAnswer::NoIf(plies(&[2, 7]))));
        assert_eq!(memory.get(3), Some(KnownAnswer::NoIf(plies(&[5]))));
        // The node at ply 7 is a no that rests on ply 5.
        memory.end(7, Some(&plies(&[5])));
        assert_eq!(memory.get(2), Some(KnownAnswer::NoIf(plies(&[2, 5]))));
        memory.begin(7);
        memory.put(4, &plies(&[7]));
        memory.end(7, None);
        assert_eq!(memory.get(4), None);
        memory.end(5, Some(&Plies::NONE));
        assert_eq!(memory.get(1), Some(KnownAnswer::NoIf(plies(&[2]))));
        assert_eq!(memory.get(3), Some(KnownAnswer::NoIf(plies(&[2]))));
        memory.end(2, Some(&Plies::NONE));
        assert_eq!([1, 2, 3].map(|key| memory.get(key)), [Some(KnownAnswer::No); 3]);
    }

    #[test]
    fn old_heads_are_cleared_away() {
        let mut memory = Conditional::new(1 << 16);
        (0..4).for_each(|ply| memory.begin(ply));
        for key in 100..100_000u64 {
            memory.begin(3);
            memory.put(key << 20, &plies(&[3]));
            memory.end(3, if key % 2 == 0 { Some(&Plies::NONE) } else { None });
        }
        assert!(memory.fates.len() <= memory.most_heads && memory.answers.len() <= memory.most);
        memory.put(1, &plies(&[1]));
        memory.compact();
        assert_eq!(memory.get(1), Some(KnownAnswer::NoIf(plies(&[1]))));
        let held = (100..100_000u64).filter(|key| memory.get(key << 20) == Some(KnownAnswer::No)).collect::<Vec<_>>();
        assert!(!held.is_empty() && held.iter().all(|key| key % 2 == 0));
        memory.end(1, Some(&Plies::NONE));
        assert_eq!(memory.get(1), Some(KnownAnswer::No));
    }

    #[test]
    fn what_a_failed_head_supported_is_forgotten() {
        let mut memory = Conditional::new(1 << 20);
        (0..10).for_each(|ply| memory.begin(ply));
        for key in 1..5000 {
            memory.put(key, &plies(&[3, 6]));
        }
        memory.end(6, Some(&plies(&[3])));
        memory.abandon();
        assert!((1..5000).all(|key| memory.get(key).is_none()));
    }
}
