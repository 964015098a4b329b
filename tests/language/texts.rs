//! The texts that the sources mark for translation: in scripts t`...`, tp`...`, tn(...) and tc(...), in the frames
//! `data-translate`, in Rust `t!`, `tn!`, `marked!` and `.text(`.

use std::path::{Path, PathBuf};

/// A text as a catalogue has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text {
    pub context: Option<String>,
    pub one: String,
    pub many: Option<String>,
}

impl Text {
    fn plain(one: String) -> Text {
        Text { context: None, one, many: None }
    }
}

/// Path and content of the files below a folder with one of these endings.
pub fn files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    fn collect(directory: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, endings, found);
            } else if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one)) {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(&root.join(folder), endings, &mut found);
    found.sort();
    found
        .iter()
        .map(|path| (path.strip_prefix(root).unwrap().display().to_string(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

/// What follows each place where `mark` stands and is not the end of a longer name.
fn behind<'a>(source: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    let in_name = |c: char| c.is_alphanumeric() || "_$.`".contains(c);
    source
        .match_indices(mark)
        .filter(move |(at, _)| mark.starts_with('.') || !source[..*at].ends_with(in_name))
        .map(|(at, _)| &source[at + mark.len()..])
}

/// The lines without those that are comments.
fn without_comments(source: &str) -> String {
    let is_comment = |line: &&str| ["//", "/*", "* "].iter().any(|begin| line.trim_start().starts_with(begin));
    source.lines().filter(|line| !is_comment(line)).flat_map(|line| [line, "\n"]).collect()
}

/// The character that an escape stands for, and what follows; nothing for the end of a line, which Rust skips with the
/// blanks behind it.
fn unescaped(text: &str) -> (Option<char>, &str) {
    let Some(kind) = text.chars().next() else { return (None, text) };
    let rest = &text[kind.len_utf8()..];
    match kind {
        'n' => (Some('\n'), rest),
        't' => (Some('\t'), rest),
        'u' => {
            let (digits, rest) = match rest.strip_prefix('{') {
                Some(braced) => braced.split_once('}').expect("a brace that closes"),
                None => rest.split_at(4),
            };
            (char::from_u32(u32::from_str_radix(digits, 16).expect("hexadecimal digits")), rest)
        }
        '\n' => (None, rest.trim_start()),
        other => (Some(other), rest),
    }
}

/// The text that begins here in double quotes, perhaps after blanks, and what follows it.
fn quoted(source: &str) -> Option<(String, &str)> {
    let mut rest = source.trim_start().strip_prefix('"')?;
    let mut text = String::new();
    loop {
        let character = rest.chars().next()?;
        rest = &rest[character.len_utf8()..];
        match character {
            '"' => return Some((text, rest)),
            '\\' => {
                let (character, behind) = unescaped(rest);
                text.extend(character);
                rest = behind;
            }
            character => text.push(character),
        }
    }
}

/// The end of an expression in a template: what follows the brace that closes it.
fn expression(source: &str) -> &str {
    let (mut depth, mut rest) = (0, source);
    loop {
        let character = rest.chars().next().expect("an expression that ends");
        match character {
            '"' => {
                rest = quoted(rest).expect("a text that ends").1;
                continue;
            }
            '`' => {
                rest = template(&rest[1..]).1;
                continue;
            }
            '{' => depth += 1,
            '}' if depth == 0 => return &rest[1..],
            '}' => depth -= 1,
            _ => {}
        }
        rest = &rest[character.len_utf8()..];
    }
}

/// The key of the template that begins here, behind its first backtick, and what follows it.
fn template(source: &str) -> (String, &str) {
    let (mut key, mut rest, mut values) = (String::new(), source, 0);
    loop {
        if let Some(value) = rest.strip_prefix("${") {
            key += &format!("{{{values}}}");
            values += 1;
            rest = expression(value);
            continue;
        }
        let character = rest.chars().next().expect("a template that ends");
        rest = &rest[character.len_utf8()..];
        match character {
            '`' => return (key, rest),
            '\\' => {
                let (character, behind) = unescaped(rest);
                key.extend(character);
                rest = behind;
            }
            character => key.push(character),
        }
    }
}

/// The two texts in quotes that follow, after whatever stands before the first.
fn two(source: &str) -> Option<(String, String)> {
    let (one, rest) = quoted(&source[source.find('"')?..])?;
    let (many, _) = quoted(rest.trim_start().strip_prefix(',')?)?;
    Some((one, many))
}

/// The texts of a script.
pub fn of_script(source: &str) -> Vec<Text> {
    let source = without_comments(source);
    let templates = ["t`", "tp`"].iter().flat_map(|mark| behind(&source, mark));
    let mut found: Vec<Text> = templates.map(|rest| Text::plain(template(rest).0)).collect();
    for rest in behind(&source, "tn(").filter(|rest| !rest.starts_with("n, one")) {
        let (one, many) = two(rest).expect("two texts in tn(...)");
        found.push(Text { context: None, one, many: Some(many) });
    }
    for rest in behind(&source, "tc(").filter(|rest| !rest.starts_with("context")) {
        let (context, one) = two(rest).expect("two texts in tc(...)");
        found.push(Text { context: Some(context), one, many: None });
    }
    found
}

/// The texts of a frame: of each tag with `data-translate` what stands in it, and its label or content.
pub fn of_frame(source: &str) -> Vec<Text> {
    let mut found = Vec::new();
    for tag in source.split('<').filter(|tag| tag.contains(" data-translate")) {
        let (attributes, content) = tag.split_once('>').expect("a tag that ends");
        for name in [" aria-label=\"", " content=\""] {
            let value = attributes.split_once(name).and_then(|(_, rest)| rest.split_once('"'));
            found.extend(value.map(|(value, _)| value.to_owned()));
        }
        found.extend(Some(content.trim()).filter(|content| !content.is_empty()).map(str::to_owned));
    }
    found.into_iter().map(Text::plain).collect()
}

/// The texts of a source in Rust, tests and comments left out.
pub fn of_rust(source: &str) -> Vec<Text> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code = without_comments(code);
    let mut found: Vec<Text> = ["t!(", "marked!(", "told.text("]
        .iter()
        .flat_map(|mark| behind(&code, mark))
        .filter_map(|rest| Some(Text::plain(quoted(rest)?.0)))
        .collect();
    for rest in behind(&code, "tn!(").filter(|rest| !rest.starts_with('$')) {
        let (one, many) = two(rest).expect("two texts in tn!(...)");
        found.push(Text { context: None, one, many: Some(many) });
    }
    found
}

#[test]
fn marked_texts_are_found_and_nothing_else() {
    let plain = |texts: &[&str]| texts.iter().map(|text| Text::plain((*text).to_owned())).collect::<Vec<_>>();
    assert_eq!(
        of_script("f(t`a \\u00b7 ${x[`}`]} b ${t`c`}`, at`no`, \"t\");\n"),
        plain(&["a \u{b7} {0} b {1}", "c"])
    );
    assert_eq!(of_script("// t`no`\n/** t`no` */\ntp`${h(\"a{\", {})}.`;"), plain(&["{0}."]));
    let one = Text { context: None, one: "{0} move".to_owned(), many: Some("{0} moves".to_owned()) };
    let open = Text { context: Some("units".to_owned()), one: "Open".to_owned(), many: None };
    assert_eq!(of_script("tn(a(b), \"{0} move\", \"{0} moves\", c); tc(\"units\", \"Open\")"), [one.clone(), open]);
    assert_eq!(of_frame("<a data-translate aria-label=\"x\">y</a><b>z</b>"), plain(&["x", "y"]));
    let rust = "t!(\n  \"a \\\n   b {0}\", c); format!(\"no\"); tn!(n, \"{0} move\", \"{0} moves\")\n// t!(\"no\")\n";
    assert_eq!(of_rust(rust), [plain(&["a b {0}"]), vec![one]].concat());
}
