//! The linear program in HiGHS (Huangfu and Hall 2018), by its C interface: bounds change, and the dual simplex
//! method continues from the last basis. What it says is a hint only: witnesses are made of its duals and judged
//! exactly.

use super::program::{PointState, Program, ProgramRow};
use super::relaxation::{Relaxation, Relaxed};
use highs_sys as c;
use std::ffi::{CString, c_void};

/// The status of a row or column in the basis (`kHighsBasisStatusBasic`).
const BASIC: i32 = c::kHighsBasisStatusBasic;

/// A HiGHS instance with the program of one region.
pub struct HighsRelaxation {
    highs: *mut c_void,
    columns: usize,
    rows: usize,
    /// How many of these were there from the start.
    first_rows: usize,
    /// The case that the bounds of the columns are those of.
    case: Vec<PointState>,
    points_of: Vec<Vec<usize>>,
    /// Of each line, how many of its points are out.
    out: Vec<u32>,
    values: Vec<f64>,
    duals: Vec<f64>,
    column_duals: Vec<f64>,
    row_values: Vec<f64>,
}

// SAFETY: an instance is owned by one value and has no ties to the thread that made it.
unsafe impl Send for HighsRelaxation {}

impl Drop for HighsRelaxation {
    fn drop(&mut self) {
        // SAFETY: the pointer came from Highs_create and is not used afterwards.
        unsafe { c::Highs_destroy(self.highs) }
    }
}

impl HighsRelaxation {
    /// Loads the program: the greatest sum of lines, where the points are `n`.
    pub fn new(program: &Program) -> HighsRelaxation {
        // SAFETY: creates an instance; it is checked below and destroyed in `drop`.
        let highs = unsafe { c::Highs_create() };
        assert!(!highs.is_null(), "HiGHS gives no instance: out of memory");
        let columns = program.columns();
        // The equation of the lines is the objective.
        let rows = &program.rows()[..program.rows().len() - 1];
        let mut points_of = vec![Vec::new(); program.points().len()];
        let mut cost = vec![0.0; columns];
        for line in 0..program.lines().len() {
            cost[program.points().len() + line] = -1.0;
            program.points_of_line(line).iter().for_each(|&point| points_of[usize::from(point)].push(line));
        }
        let mut relaxation = HighsRelaxation {
            highs,
            columns,
            rows: rows.len(),
            first_rows: rows.len(),
            case: program.whole(),
            points_of,
            out: vec![0; program.lines().len()],
            values: vec![0.0; columns],
            duals: vec![0.0; rows.len()],
            column_duals: vec![0.0; columns],
            row_values: vec![0.0; rows.len()],
        };
        relaxation.option_flag("output_flag", false);
        relaxation.option_text("presolve", "off");
        relaxation.option_text("solver", "simplex");
        relaxation.option_number("threads", 1);
        relaxation.option_number("simplex_scale_strategy", 0);
        // It takes steps of its own, and there are fewer steps without it.
        relaxation.option_fraction("dual_simplex_cost_perturbation_multiplier", 0.0);
        let matrix = RowMatrix::new(rows);
        let (low, high) = (vec![0.0; columns], vec![1.0; columns]);
        // SAFETY: all slices have the lengths that are passed; the call copies them.
        let status = unsafe {
            c::Highs_passLp(
                highs,
                columns as i32,
                rows.len() as i32,
                matrix.index.len() as i32,
                c::MATRIX_FORMAT_ROW_WISE,
                c::OBJECTIVE_SENSE_MINIMIZE,
                0.0,
                cost.as_ptr(),
                low.as_ptr(),
                high.as_ptr(),
                matrix.lower.as_ptr(),
                matrix.upper.as_ptr(),
                matrix.starts.as_ptr(),
                matrix.index.as_ptr(),
                matrix.value.as_ptr(),
            )
        };
        assert!(status != c::STATUS_ERROR, "HiGHS refuses the program of the region");
        relaxation
    }

    fn option_flag(&mut self, name: &str, value: bool) {
        let name = CString::new(name).expect("a name without a zero");
        // SAFETY: the name is a C string that lives through the call.
        unsafe { c::Highs_setBoolOptionValue(self.highs, name.as_ptr(), i32::from(value)) };
    }

    fn option_number(&mut self, name: &str, value: i32) {
        let name = CString::new(name).expect("a name without a zero");
        // SAFETY: as above.
        unsafe { c::Highs_setIntOptionValue(self.highs, name.as_ptr(), value) };
    }

    fn option_fraction(&mut self, name: &str, value: f64) {
        let name = CString::new(name).expect("a name without a zero");
        // SAFETY: as above.
        unsafe { c::Highs_setDoubleOptionValue(self.highs, name.as_ptr(), value) };
    }

    fn option_text(&mut self, name: &str, value: &str) {
        let (name, value) = (CString::new(name), CString::new(value));
        let (Ok(name), Ok(value)) = (name, value) else { return };
        // SAFETY: both are C strings that live through the call.
        unsafe { c::Highs_setStringOptionValue(self.highs, name.as_ptr(), value.as_ptr()) };
    }

    /// Sets the bounds of the columns to those of the case.
    fn enter(&mut self, case: &[PointState]) {
        let points = case.len();
        for (point, &state) in case.iter().enumerate() {
            if self.case[point] == state {
                continue;
            }
            let was = std::mem::replace(&mut self.case[point], state);
            let (low, high) = match state {
                PointState::Open => (0.0, 1.0),
                PointState::Out => (0.0, 0.0),
                PointState::In => (1.0, 1.0),
            };
            // SAFETY: the column exists.
            unsafe { c::Highs_changeColBounds(self.highs, point as i32, low, high) };
            for &line in &self.points_of[point] {
                let before = self.out[line];
                self.out[line] = before + u32::from(state == PointState::Out) - u32::from(was == PointState::Out);
                if (before == 0) != (self.out[line] == 0) {
                    let high = if self.out[line] == 0 { 1.0 } else { 0.0 };
                    // SAFETY: the column exists.
                    unsafe { c::Highs_changeColBounds(self.highs, (points + line) as i32, 0.0, high) };
                }
            }
        }
    }

    fn run(&mut self) -> i32 {
        // SAFETY: the instance is alive, and nobody else uses it.
        unsafe {
            c::Highs_run(self.highs);
            c::Highs_getModelStatus(self.highs)
        }
    }
}

impl Relaxation for HighsRelaxation {
    fn solve(&mut self, case: &[PointState]) -> Relaxed {
        self.enter(case);
        let mut status = self.run();
        if status != c::MODEL_STATUS_OPTIMAL && status != c::MODEL_STATUS_INFEASIBLE {
            // SAFETY: as in `run`. It forgets the basis.
            unsafe { c::Highs_clearSolver(self.highs) };
            status = self.run();
        }
        match status {
            c::MODEL_STATUS_OPTIMAL => {
                // SAFETY: the four arrays are as long as there are columns and rows.
                unsafe {
                    c::Highs_getSolution(
                        self.highs,
                        self.values.as_mut_ptr(),
                        self.column_duals.as_mut_ptr(),
                        self.row_values.as_mut_ptr(),
                        self.duals.as_mut_ptr(),
                    )
                };
                let lines = self.values[case.len()..self.columns].iter().sum();
                Relaxed::Optimal { lines }
            }
            c::MODEL_STATUS_INFEASIBLE => {
                let mut has = 0;
                // SAFETY: the array is as long as there are rows.
                unsafe { c::Highs_getDualRay(self.highs, &mut has, self.duals.as_mut_ptr()) };
                if has == 0 {
                    return Relaxed::Unknown;
                }
                Relaxed::Infeasible
            }
            _ => Relaxed::Unknown,
        }
    }

    fn values(&self) -> &[f64] {
        &self.values
    }

    fn duals(&self) -> &[f64] {
        &self.duals[..self.rows]
    }

    fn add_rows(&mut self, rows: &[ProgramRow]) {
        let matrix = RowMatrix::new(rows);
        // SAFETY: all slices have the lengths that are passed; the call copies them.
        let status = unsafe {
            c::Highs_addRows(
                self.highs,
                rows.len() as i32,
                matrix.lower.as_ptr(),
                matrix.upper.as_ptr(),
                matrix.index.len() as i32,
                matrix.starts.as_ptr(),
                matrix.index.as_ptr(),
                matrix.value.as_ptr(),
            )
        };
        assert!(status != c::STATUS_ERROR, "HiGHS refuses rows of loops");
        self.rows += rows.len();
        self.duals.resize(self.rows, 0.0);
        self.row_values.resize(self.rows, 0.0);
    }

    fn drop_idle_rows(&mut self) -> Vec<bool> {
        let (mut of_columns, mut of_rows) = (vec![0; self.columns], vec![0; self.rows]);
        // SAFETY: the arrays are as long as there are columns and rows.
        unsafe { c::Highs_getBasis(self.highs, of_columns.as_mut_ptr(), of_rows.as_mut_ptr()) };
        let first = self.first_rows;
        let stays = |row: usize, status: i32| row < first || status != BASIC;
        let kept: Vec<bool> = of_rows.iter().enumerate().map(|(row, &status)| stays(row, status)).collect();
        let mut dropped: Vec<i32> = kept.iter().map(|&kept| i32::from(!kept)).collect();
        // SAFETY: the array is as long as there are rows; the call writes their new numbers into it.
        let status = unsafe { c::Highs_deleteRowsByMask(self.highs, dropped.as_mut_ptr()) };
        // It would write more values than there is room for.
        assert!(status != c::STATUS_ERROR, "HiGHS keeps rows of loops that are idle");
        let mut of_row = kept.iter();
        of_rows.retain(|_| of_row.next() == Some(&true));
        self.rows = of_rows.len();
        self.duals.truncate(self.rows);
        self.row_values.truncate(self.rows);
        // Rows that were in the basis have left it, so it fits what is left.
        // SAFETY: the arrays are as long as there are columns and rows.
        unsafe { c::Highs_setBasis(self.highs, of_columns.as_ptr(), of_rows.as_ptr()) };
        kept[first..].to_vec()
    }
}

/// Rows as HiGHS takes them.
#[derive(Default)]
struct RowMatrix {
    starts: Vec<i32>,
    index: Vec<i32>,
    value: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl RowMatrix {
    fn new(rows: &[ProgramRow]) -> RowMatrix {
        let mut matrix = RowMatrix::default();
        for row in rows {
            matrix.starts.push(matrix.index.len() as i32);
            matrix.index.extend(row.entries.iter().map(|&(column, _)| column as i32));
            matrix.value.extend(row.entries.iter().map(|&(_, sign)| f64::from(sign)));
            matrix.lower.push(if row.equation { row.bound as f64 } else { f64::NEG_INFINITY });
            matrix.upper.push(row.bound as f64);
        }
        matrix
    }
}
