//! The points of a game turned and mirrored, and its colours exchanged.
//!
//! A symmetry is a number of three bits, as for boards: 1 mirrors left and right, 2 mirrors top and bottom, and then
//! 4 exchanges rows and columns.

use super::collection::{SgfCollection, SgfNodeId};
use super::point::{BoardSize, PointPlace, name, parse};

/// Properties whose values are points, or begin with points and have a text after a colon.
const POINTS: [&str; 23] = [
    "AB", "AE", "AW", "B", "W", "CR", "DD", "MA", "SL", "SQ", "TR", "TB", "TW", "VW", "AR", "LN", "LB", "KO", "DR",
    "L", "M", "CH", "RG",
];
/// Properties that exchange their names with the colours.
const COLOURS: [(&str, &str); 8] =
    [("B", "W"), ("AB", "AW"), ("TB", "TW"), ("BL", "WL"), ("OB", "OW"), ("GB", "GW"), ("PB", "PW"), ("BR", "WR")];

/// Where a symmetry carries a point of a board or another rectangle of this size.
pub fn carried((width, height): BoardSize, (mut x, mut y): PointPlace, symmetry: u8) -> PointPlace {
    if symmetry & 1 != 0 {
        x = width - 1 - x;
    }
    if symmetry & 2 != 0 {
        y = height - 1 - y;
    }
    if symmetry & 4 != 0 { (y, x) } else { (x, y) }
}

/// Turns all points of a game. Returns the size that its board has afterwards, which the property `SZ` then says.
pub fn turn(collection: &mut SgfCollection, game: SgfNodeId, size: BoardSize, symmetry: u8) -> BoardSize {
    let (width, height) = size;
    let place = |point: PointPlace| carried(size, point, symmetry);
    collection.change_values(game, |property, value| {
        if POINTS.contains(&property) { turned(size, property, value, place) } else { value.to_owned() }
    });
    let (width, height) = if symmetry & 4 != 0 { (height, width) } else { (width, height) };
    if width != height {
        collection.set(game, "SZ", vec![format!("{width}:{height}")]);
    }
    (width, height)
}

fn turned(size: BoardSize, property: &str, value: &str, place: impl Fn(PointPlace) -> PointPlace) -> String {
    let point = |text: &str| parse(size, text.trim()).map(&place);
    let Some((first, rest)) = value.split_once(':') else {
        return point(value).map_or_else(|| value.to_owned(), name);
    };
    match (point(first), point(rest)) {
        (Some(first), _) if property == "LB" => format!("{}:{rest}", name(first)),
        // A line or an arrow has a direction.
        (Some(first), Some(last)) if ["AR", "LN"].contains(&property) => format!("{}:{}", name(first), name(last)),
        // The upper left and the lower right corner of a rectangle.
        (Some((x0, y0)), Some((x1, y1))) => {
            format!("{}:{}", name((x0.min(x1), y0.min(y1))), name((x0.max(x1), y0.max(y1))))
        }
        _ => value.to_owned(),
    }
}

/// Exchanges black and white: the names of properties, and the colour that is to move (`PL`).
pub fn exchange_colours(collection: &mut SgfCollection, game: SgfNodeId) {
    collection.change_names(game, |name| {
        let pair = COLOURS.iter().find(|(black, white)| [*black, *white].contains(&name));
        pair.map_or(name, |&(black, white)| if name == black { white } else { black }).to_owned()
    });
    collection.change_values(game, |property, value| match (property, value.trim()) {
        ("PL", "B" | "b") => "W".to_owned(),
        ("PL", "W" | "w") => "B".to_owned(),
        _ => value.to_owned(),
    });
}

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::super::write::write;
    use super::*;

    const GAME: &str =
        "(;SZ[5:4]AB[aa][ba:cb]LB[ba:A][ea:aa]AR[aa:ed];B[cd]C[aa];W[]TR[ea];B[tt]X[aa](;W[dc]PL[b])(;W[ab]))";

    fn turned_by(symmetries: &[u8]) -> String {
        let mut sgf = read(GAME).unwrap().collection;
        let game = sgf.games()[0];
        let mut size = (5, 4);
        for &symmetry in symmetries {
            size = turn(&mut sgf, game, size, symmetry);
        }
        write(&sgf)
    }

    #[test]
    fn points_rectangles_arrows_and_labels_are_turned() {
        assert_eq!(
            turned_by(&[1]),
            "(;FF[4]CA[UTF-8]SZ[5:4]AB[ea][ca:db]LB[da:A][aa:aa]AR[ea:ad];B[cd]C[aa];W[]TR[aa]\n;B[tt]X[aa]\n(;W[bc]PL[b])\n(;W[eb]))\n"
        );
        assert!(turned_by(&[4]).starts_with("(;FF[4]CA[UTF-8]SZ[4:5]AB[aa][ab:bc]LB[ab:A][ae:aa]AR[aa:de];B[dc]"));
        // Each mirror is its own inverse; turned four times by a quarter it is as it was.
        let same = turned_by(&[]);
        for symmetries in [&[1, 1][..], &[2, 2], &[3, 3], &[4, 4], &[5, 5, 5, 5], &[6, 5]] {
            assert_eq!(turned_by(symmetries), same, "{symmetries:?}");
        }
    }

    #[test]
    fn colours_are_exchanged() {
        let mut sgf = read(GAME).unwrap().collection;
        let game = sgf.games()[0];
        exchange_colours(&mut sgf, game);
        assert!(write(&sgf).contains("AW[aa][ba:cb]") && write(&sgf).contains("(;B[dc]PL[W])"), "{}", write(&sgf));
        exchange_colours(&mut sgf, game);
        assert_eq!(write(&sgf), write(&read(GAME).unwrap().collection).replace("PL[b]", "PL[B]"));
    }
}
