//! Files of translations in the format PO of gettext, read strictly: comments, `msgctxt`, `msgid`, `msgid_plural`,
//! `msgstr` and `msgstr[0]`, `msgstr[1]`, texts in quotes that go on in further lines of quotes.

/// A text and its translation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PoEntry {
    /// What tells it from an equal text with another meaning.
    pub context: Option<String>,
    /// The English text.
    pub id: String,
    /// The English text for several things, if it depends on a number.
    pub plural: Option<String>,
    /// The translation: one text, or one for each form.
    pub forms: Vec<String>,
}

/// Why a file of translations is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PoError {
    /// A line that does not belong there.
    #[error("line {0}: {1} is expected")]
    Line(usize, &'static str),
    /// A text without a translation.
    #[error("'{0}' is not translated")]
    Untranslated(String),
    /// A text with more or fewer forms than it needs.
    #[error("'{0}' does not have the forms that it needs: msgstr, or with msgid_plural msgstr[0] and msgstr[1]")]
    Forms(String),
    /// A text that is there more than once.
    #[error("'{0}' is given more than once")]
    Twice(String),
    /// Plural forms that are not known.
    #[error("the plural forms '{0}' are not supported: (n != 1) and (n > 1) are")]
    Plural(String),
}

/// Which part of an entry a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryPart {
    Context,
    Id,
    Plural,
    Form,
}

/// The text behind a keyword.
fn keyword(line: &str) -> Option<(EntryPart, &str)> {
    const KEYWORDS: [(&str, EntryPart); 6] = [
        ("msgctxt ", EntryPart::Context),
        ("msgid_plural ", EntryPart::Plural),
        ("msgid ", EntryPart::Id),
        ("msgstr ", EntryPart::Form),
        ("msgstr[0] ", EntryPart::Form),
        ("msgstr[1] ", EntryPart::Form),
    ];
    KEYWORDS.iter().find_map(|(word, part)| Some((*part, line.strip_prefix(word)?)))
}

/// The text in quotes.
fn quoted(text: &str) -> Option<String> {
    let inside = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut whole = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        whole.push(match character {
            '"' => return None,
            '\\' => match characters.next()? {
                'n' => '\n',
                't' => '\t',
                escaped @ ('"' | '\\') => escaped,
                _ => return None,
            },
            character => character,
        });
    }
    Some(whole)
}

/// Whether an entry may go on with this part.
fn follows(entry: &PoEntry, last: Option<EntryPart>, part: EntryPart) -> bool {
    match part {
        EntryPart::Context => last.is_none(),
        EntryPart::Id => matches!(last, None | Some(EntryPart::Context)),
        EntryPart::Plural => last == Some(EntryPart::Id),
        EntryPart::Form => {
            matches!(last, Some(EntryPart::Id | EntryPart::Plural))
                || last == Some(EntryPart::Form) && entry.plural.is_some()
        }
    }
}

/// The header and the texts of a file.
pub(super) fn read(source: &str) -> Result<(String, Vec<PoEntry>), PoError> {
    let mut entries: Vec<PoEntry> = Vec::new();
    let mut last = None;
    let text_expected = "a text in quotes, with \\n, \\t, \\\" and \\\\ as its only escapes,";
    for (number, line) in (1..).zip(source.lines().map(str::trim)) {
        if line.starts_with('#') {
            continue;
        }
        if line.is_empty() {
            last = None;
            continue;
        }
        let (part, text, goes_on) = match keyword(line) {
            Some((part, text)) => (part, text, false),
            None => (last.ok_or(PoError::Line(number, "msgctxt or msgid"))?, line, true),
        };
        let text = quoted(text).ok_or(PoError::Line(number, text_expected))?;
        if !goes_on && last.is_none() {
            entries.push(PoEntry::default());
        }
        let Some(entry) = entries.last_mut() else { continue };
        if !goes_on && !follows(entry, last, part) {
            return Err(PoError::Line(number, "msgctxt, msgid, msgid_plural and msgstr in this order, each once,"));
        }
        match (part, goes_on) {
            (EntryPart::Context, _) => entry.context.get_or_insert_default().push_str(&text),
            (EntryPart::Id, _) => entry.id.push_str(&text),
            (EntryPart::Plural, _) => entry.plural.get_or_insert_default().push_str(&text),
            (EntryPart::Form, true) => entry.forms.last_mut().into_iter().for_each(|form| form.push_str(&text)),
            (EntryPart::Form, false) => entry.forms.push(text),
        }
        last = Some(part);
    }
    for entry in &entries {
        if entry.forms.len() != 1 + usize::from(entry.plural.is_some()) {
            return Err(PoError::Forms(entry.id.clone()));
        }
        if entry.forms.iter().any(String::is_empty) {
            return Err(PoError::Untranslated(entry.id.clone()));
        }
    }
    let at = entries.iter().position(|entry| entry.id.is_empty() && entry.context.is_none());
    let header = at.map(|at| entries.remove(at)).and_then(|mut header| header.forms.pop()).unwrap_or_default();
    Ok((header, entries))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read() {
        let source = "# a comment\nmsgid \"\"\nmsgstr \"\"\n\"Language: xx\\n\"\n\n#: a.js\nmsgctxt \"of a file\"\nmsgid \
                      \"Open\"\nmsgstr \"\"\n\"Au\"\n\"f\"\n\nmsgid \"{0} \\\"move\\\"\"\nmsgid_plural \"{0} \
                      moves\"\nmsgstr[0] \"a\\\\\"\nmsgstr[1] \"b\"\n";
        let (header, entries) = read(source).unwrap();
        assert_eq!(header, "Language: xx\n");
        let open = PoEntry {
            context: Some("of a file".to_owned()),
            id: "Open".to_owned(),
            plural: None,
            forms: vec!["Auf".to_owned()],
        };
        let moves = PoEntry {
            context: None,
            id: "{0} \"move\"".to_owned(),
            plural: Some("{0} moves".to_owned()),
            forms: vec!["a\\".to_owned(), "b".to_owned()],
        };
        assert_eq!(entries, [open, moves]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (source, expected) in [
            ("msgid \"a\"\nmsgstr \"\"\n", "'a' is not translated"),
            ("msgid \"a\"\nmsgid_plural \"b\"\nmsgstr \"c\"\n", "does not have the forms"),
            ("msgid \"a\"\nmsgstr[0] \"c\"\nmsgstr[1] \"d\"\n", "line 3: msgctxt, msgid"),
            ("msgid \"a\n", "line 1: a text in quotes"),
            ("msgid \"a\"b\"\n", "line 1: a text in quotes"),
            ("msgid \"a\\q\"\n", "line 1: a text in quotes"),
            ("\"a\"\n", "line 1: msgctxt or msgid"),
            ("msgstr \"a\"\n", "line 1: msgctxt, msgid"),
            ("msgid \"a\"\nmsgstr \"b\"\nmsgid \"c\"\n", "line 3: msgctxt, msgid"),
        ] {
            let error = read(source).unwrap_err().to_string();
            assert!(error.contains(expected), "{source}: {error}");
        }
    }
}
