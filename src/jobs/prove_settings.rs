//! The settings of a proof as a job: flags, configuration files and requests are read into one typed value
//! ([`super::reading`]), and it becomes a [`ProveJob`].

use super::prove::ProveJob;
use super::reading::{FromSettings, GivenSetting, read, set_row, usual_text};
use crate::core::setting::{BadValue, NamedValue, SettingInfo, SettingRow, ValueKind, read as read_text};
use crate::morpion::geometry::Point;
use crate::morpion::referee;
use crate::morpion::variant::Variant;
use crate::notation::format::read as read_grid;
use crate::proofs::file::Statement;
use crate::proofs::region::Region;

/// Most moves that can be asked for.
pub const MAX_MOVES: u64 = 1000;

static VARIANTS: [NamedValue; 4] = [
    NamedValue { value: "5T", label: "Lines of 5 that may touch" },
    NamedValue { value: "5D", label: "Lines of 5 that share no point" },
    NamedValue { value: "4T", label: "Lines of 4 that may touch" },
    NamedValue { value: "4D", label: "Lines of 4 that share no point" },
];

/// What is to be proved, as it is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProveSettings {
    /// The variant; otherwise that of the grid, or 5D.
    pub variant: Option<Variant>,
    /// The number of moves.
    pub moves: Option<u32>,
    /// Points beyond the cross to the west, north, east and south.
    pub rectangle: Option<[u32; 4]>,
    /// The text of a grid.
    pub hull: Option<String>,
}

/// The settings, in the order of help texts.
pub static PROVE_SETTINGS: [SettingRow<ProveSettings>; 4] = [
    SettingRow {
        about: SettingInfo::new(
            "moves",
            "Moves",
            ValueKind::Whole { min: 1, max: MAX_MOVES },
            "The number of moves that no grid in the region is to have.",
        )
        .unit("moves"),
        read: |settings, text| read_text(text).map(|moves| settings.moves = Some(moves)),
        show: |settings| settings.moves.map(|moves| moves.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "box",
            "Box",
            ValueKind::Text,
            "The region is the box that reaches so many points beyond the cross to the west, north, east and south.",
        )
        .value_name("W,N,E,S"),
        read: |settings, text| {
            let numbers = text.split(',').map(|number| read_text::<u32>(number.trim()));
            let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
            let four = <[u32; 4]>::try_from(numbers);
            let four = four.map_err(|_| BadValue("expected four numbers: west, north, east, south".to_owned()))?;
            settings.rectangle = Some(four);
            Ok(())
        },
        show: |settings| settings.rectangle.map(|[w, n, e, s]| format!("{w},{n},{e},{s}")),
    },
    SettingRow {
        about: SettingInfo::new(
            "hull",
            "Hull of a grid",
            ValueKind::Text,
            "The region is the octagon hull of this grid.",
        )
        .value_name("FILE"),
        read: |settings, text| {
            settings.hull = Some(text.to_owned());
            Ok(())
        },
        show: |settings| settings.hull.clone(),
    },
    SettingRow {
        about: SettingInfo::new("variant", "Variant", ValueKind::Choice(&VARIANTS), "Line length and touching rule.")
            .value_name("VARIANT")
            .unset("that of the grid; 5D with a box"),
        read: |settings, text| read_text(text).map(|variant| settings.variant = Some(variant)),
        show: |settings| settings.variant.map(|variant| variant.code().to_owned()),
    },
];

impl FromSettings for ProveSettings {
    fn all() -> Vec<&'static SettingInfo> {
        PROVE_SETTINGS.iter().map(|row| &row.about).collect()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        set_row(&PROVE_SETTINGS, self, name, text)
    }

    fn usual(name: &str) -> Option<String> {
        usual_text(&PROVE_SETTINGS, name)
    }
}

impl ProveSettings {
    /// The job that the settings ask for.
    ///
    /// # Errors
    /// If they make no sense: what is wrong, where, and what would be right.
    pub fn job(given: &[GivenSetting]) -> Result<ProveJob, BadValue> {
        let settings: ProveSettings = read(given)?;
        let moves =
            settings.moves.ok_or_else(|| BadValue("the number of moves is missing: expected moves".into()))?;
        let bad = |name: &str, reason: String| {
            let place = given.iter().find(|one| one.name == name).map_or(name.to_owned(), GivenSetting::place);
            BadValue(format!("{place}: {reason}"))
        };
        let (region, title) = match (settings.rectangle, &settings.hull) {
            (Some(_), Some(_)) => {
                return Err(BadValue("box and hull contradict each other: expected one of them".to_owned()));
            }
            (None, None) => return Err(BadValue("the region is missing: expected box or hull".to_owned())),
            (Some(beyond), None) => {
                let region = Region::rectangle(settings.variant.unwrap_or(Variant::D5), beyond);
                let [west, north, east, south] = beyond;
                (
                    region.map_err(|error| bad("box", error.to_string()))?,
                    format!("the box {west},{north},{east},{south}"),
                )
            }
            (None, Some(text)) => {
                let grid = read_grid(text.as_bytes(), settings.variant);
                let grid = grid.map_err(|error| bad("hull", error.to_string()))?.grid;
                referee::replay(grid.variant, &grid.moves).map_err(|error| bad("hull", error.to_string()))?;
                let points: Vec<Point> = grid.moves.iter().map(|mv| mv.point()).collect();
                let region = Region::octagon(grid.variant, &points);
                let title = format!("the octagon hull of a grid of {} moves", grid.moves.len());
                (region.map_err(|error| bad("hull", error.to_string()))?, title)
            }
        };
        Ok(ProveJob::from(&Statement { region, title, moves }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::reading::from_json;
    use serde_json::json;

    fn job(settings: serde_json::Value) -> Result<ProveJob, String> {
        let given = from_json::<ProveSettings>(settings.as_object().unwrap()).map_err(|error| error.to_string())?;
        ProveSettings::job(&given).map_err(|error| error.to_string())
    }

    #[test]
    fn regions_are_read() {
        let of_box = job(json!({"moves": 85, "box": "3,2,2,2"})).unwrap();
        assert_eq!((of_box.variant, of_box.moves, of_box.points.len()), (Variant::D5, 85, 174));
        assert_eq!(job(json!({"moves": 85, "box": [3, 2, 2, 2]})).unwrap(), of_box);
        assert_eq!(of_box.statement().unwrap().region.added().len(), 174);
        let rosin = include_str!("../../grids/5D-82-rosin.txt");
        let of_hull = job(json!({"moves": 83, "hull": rosin})).unwrap();
        assert_eq!((of_hull.points.len(), of_hull.region.as_str()), (112, "the octagon hull of a grid of 82 moves"));
        let stored = serde_json::to_string(&of_hull).unwrap();
        assert_eq!(serde_json::from_str::<ProveJob>(&stored).unwrap(), of_hull);
        let outside = ProveJob { points: vec![[70, 3]], ..of_hull };
        assert!(outside.statement().unwrap_err().to_string().contains("(70,3)"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (settings, expected) in [
            (json!({"box": "1,1,1,1"}), "the number of moves is missing"),
            (json!({"moves": 10}), "the region is missing"),
            (json!({"moves": 10, "box": "1,1,1,1", "hull": "x"}), "contradict each other"),
            (json!({"moves": 0, "box": "1,1,1,1"}), "settings.moves"),
            (json!({"moves": 10, "box": "1,1,1"}), "expected four numbers"),
            (json!({"moves": 10, "box": "1,1,1,x"}), "settings.box"),
            (json!({"moves": 10, "box": "1,1,1,400"}), "settings.box: the region reaches"),
            (json!({"moves": 10, "hull": "no grid"}), "settings.hull"),
            (json!({"moves": 10, "box": "1,1,1,1", "variant": "6T"}), "settings.variant"),
            (json!({"moves": 10, "box": "1,1,1,1", "speed": 3}), "unknown key 'speed'"),
        ] {
            let error = job(settings.clone()).unwrap_err();
            assert!(error.contains(expected), "{settings}: {error}");
        }
    }
}
