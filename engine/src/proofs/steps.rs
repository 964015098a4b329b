//! Steps of a proof as bytes. `check` reads the same format by code of its own.
//!
//! One byte says what a step is; numbers follow in groups of seven bits, the lowest first (LEB128):
//!
//! * 0: refuted. 1: handed on.
//! * 2: split at the point that follows, whose first half is without it; 3: with it.
//! * 4: a witness: how many rows, then for each the distance from the row before (from -1 for the first), and the
//!   multiplier: twice it, or twice its absolute value less 1 if it is negative.
//! * 5: a loop: how many points, then for each the distance from the point before (from -1 for the first), then its
//!   point. Its row has the number after those of the program and of the loops before it in the unit.

use super::branching::Step;
use super::loops::Loop;
use super::program::PointState;

/// Why bytes are not those of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StepBytesError {
    /// They end within a step.
    #[error("the steps end within a step")]
    Short,
    /// A byte begins no step.
    #[error("byte {0} does not begin a step")]
    UnknownStep(u8),
    /// A number does not fit.
    #[error("a number of a step is too large")]
    TooLarge,
}

/// Appends a number.
pub fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from the beginning of `bytes`.
///
/// # Errors
/// If they end before the number does, or it is 2^64 or more.
pub fn take_number(bytes: &mut &[u8]) -> Result<u64, StepBytesError> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(StepBytesError::Short)?;
        *bytes = rest;
        let part = u64::from(byte & 0x7F);
        if part << shift >> shift != part {
            return Err(StepBytesError::TooLarge);
        }
        number |= part << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(StepBytesError::TooLarge)
}

/// The bytes of steps.
pub fn write_steps(steps: &[Step], bytes: &mut Vec<u8>) {
    for step in steps {
        match step {
            Step::Refuted => bytes.push(0),
            Step::Handed => bytes.push(1),
            Step::Loop(Loop { set, point }) => {
                bytes.push(5);
                put_number(bytes, set.len() as u64);
                let mut next = 0;
                for &member in set {
                    put_number(bytes, u64::from(member - next));
                    next = member + 1;
                }
                put_number(bytes, u64::from(*point));
            }
            Step::Split { point, first } => {
                bytes.push(if *first == PointState::In { 3 } else { 2 });
                put_number(bytes, u64::from(*point));
            }
            Step::Witness(witness) => {
                bytes.push(4);
                put_number(bytes, witness.len() as u64);
                let mut next = 0;
                for &(row, by) in witness {
                    put_number(bytes, u64::from(row - next));
                    next = row + 1;
                    put_number(bytes, (by << 1 ^ by >> 63) as u64);
                }
            }
        }
    }
}

/// The steps of which these are the bytes.
///
/// # Errors
/// If they are not those of whole steps.
pub fn read_steps(mut bytes: &[u8]) -> Result<Vec<Step>, StepBytesError> {
    let mut steps = Vec::new();
    while let Some((&kind, rest)) = bytes.split_first() {
        bytes = rest;
        steps.push(match kind {
            0 => Step::Refuted,
            1 => Step::Handed,
            2 | 3 => {
                let point = u16::try_from(take_number(&mut bytes)?).map_err(|_| StepBytesError::TooLarge)?;
                Step::Split { point, first: if kind == 3 { PointState::In } else { PointState::Out } }
            }
            4 => {
                let count = take_number(&mut bytes)?;
                if count > bytes.len() as u64 {
                    return Err(StepBytesError::Short);
                }
                let (mut witness, mut next) = (Vec::with_capacity(count as usize), 0u64);
                for _ in 0..count {
                    let row = take_number(&mut bytes)?.checked_add(next).ok_or(StepBytesError::TooLarge)?;
                    next = row.saturating_add(1);
                    let zigzag = take_number(&mut bytes)?;
                    let by = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
                    if by.unsigned_abs() > 1 << 40 {
                        return Err(StepBytesError::TooLarge);
                    }
                    witness.push((u32::try_from(row).map_err(|_| StepBytesError::TooLarge)?, by));
                }
                Step::Witness(witness)
            }
            5 => {
                let count = take_number(&mut bytes)?;
                if count > bytes.len() as u64 {
                    return Err(StepBytesError::Short);
                }
                let number = |number: u64| u16::try_from(number).map_err(|_| StepBytesError::TooLarge);
                let (mut set, mut next) = (Vec::with_capacity(count as usize), 0u64);
                for _ in 0..count {
                    let member = take_number(&mut bytes)?.checked_add(next).ok_or(StepBytesError::TooLarge)?;
                    set.push(number(member)?);
                    next = member + 1;
                }
                Step::Loop(Loop { set, point: number(take_number(&mut bytes)?)? })
            }
            other => return Err(StepBytesError::UnknownStep(other)),
        });
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_as_they_were_written() {
        let witness = vec![(0, 1), (1, -1), (300, 1 << 20), (70_000, -(1 << 40))];
        let steps = vec![
            Step::Split { point: 200, first: PointState::In },
            Step::Loop(Loop { set: vec![0, 1, 130, 400], point: 130 }),
            Step::Witness(witness),
            Step::Refuted,
            Step::Split { point: 0, first: PointState::Out },
            Step::Handed,
            Step::Witness(Vec::new()),
        ];
        let mut bytes = Vec::new();
        write_steps(&steps, &mut bytes);
        assert_eq!(read_steps(&bytes).as_ref(), Ok(&steps));
        let mut of_loop = Vec::new();
        write_steps(&steps[1..2], &mut of_loop);
        assert_eq!(of_loop, [5, 4, 0, 0, 0x80, 1, 0x8D, 2, 0x82, 1]);
        for cut in 1..bytes.len() {
            if let Ok(fewer) = read_steps(&bytes[..cut]) {
                assert_eq!(fewer[..], steps[..fewer.len()], "cut at {cut}");
            }
        }
        assert_eq!(read_steps(&[9]), Err(StepBytesError::UnknownStep(9)));
        assert_eq!(
            read_steps(&[2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
            Err(StepBytesError::TooLarge)
        );
        assert_eq!(read_steps(&[4, 3, 0]), Err(StepBytesError::Short));
        assert_eq!(read_steps(&[5, 3, 0, 0]), Err(StepBytesError::Short));
        assert_eq!(read_steps(&[5, 2, 0xFF, 0xFF, 3, 0, 1]), Err(StepBytesError::TooLarge));
    }
}
