//! The languages of the program and of its page. The English text is the key, and a file in the format of gettext
//! (`fr.po`, `de.po`) has the translations, so translators use the tools that they know. A text that a file lacks
//! stays English.
//!
//! Values in a text are `{0}`, `{1}`, ... What depends on a number has two forms in each language, for one thing and
//! for several; which form a number takes is the only rule of grammar here ([`TextCatalogue::form`]).

mod po;

pub use po::{PoEntry, PoError};

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::LazyLock;

/// What separates the context of a text from the text in a key, as gettext does it.
const CONTEXT: char = '\u{4}';

/// A language that there are texts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// The language of the keys, which needs no catalogue.
    #[default]
    English,
    /// The texts of `fr.po`.
    French,
    /// The texts of `de.po`.
    German,
}

/// The languages with a catalogue, and its source.
const SOURCES: [(Language, &str); 2] =
    [(Language::French, include_str!("fr.po")), (Language::German, include_str!("de.po"))];

static CATALOGUES: LazyLock<HashMap<Language, TextCatalogue>> = LazyLock::new(|| {
    // A test sees to it that each of them can be read.
    let read =
        SOURCES.into_iter().map(|(language, source)| (language, TextCatalogue::read(source).unwrap_or_default()));
    read.collect()
});

impl Language {
    /// All languages, English first.
    pub const ALL: [Language; 3] = [Language::English, Language::French, Language::German];

    /// Its code of ISO 639: `en`, `fr`.
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::French => "fr",
            Language::German => "de",
        }
    }

    /// The language that a name of a locale or a tag of a browser stands for: `fr`, `fr_CH.UTF-8`, `fr-CA`. `C` and
    /// `POSIX` are English.
    pub fn from_locale(name: &str) -> Option<Language> {
        if ["C", "POSIX"].contains(&name.split('.').next().unwrap_or_default()) {
            return Some(Language::English);
        }
        let code = name.split(['_', '-', '.', '@']).next().unwrap_or_default().to_ascii_lowercase();
        Language::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The language of an environment: that of the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set, as
    /// gettext has it. English if it is one that there are no texts in. `get` gives the value of a variable.
    pub fn of_environment(get: impl Fn(&str) -> Option<String>) -> Language {
        let set = |name: &&str| get(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(set);
        locale.and_then(|name| Language::from_locale(&name)).unwrap_or_default()
    }

    /// Its texts; nothing for English.
    pub fn catalogue(self) -> Option<&'static TextCatalogue> {
        match self {
            // Nothing is read for it.
            Language::English => None,
            language => CATALOGUES.get(&language),
        }
    }

    /// A text with its values.
    pub fn text(self, key: &str, values: &[&dyn Display]) -> String {
        let forms = self.catalogue().and_then(|catalogue| catalogue.texts.get(key));
        filled(forms.and_then(|forms| forms.first()).map_or(key, String::as_str), values)
    }

    /// A text that depends on a number, with its values.
    pub fn counted(self, number: u64, [one, many]: [&str; 2], values: &[&dyn Display]) -> String {
        let form = match self.catalogue() {
            None => [one, many][usize::from(number != 1)],
            Some(catalogue) => {
                let forms = catalogue.texts.get(one);
                forms.and_then(|forms| forms.get(catalogue.form(number))).map_or(many, String::as_str)
            }
        };
        filled(form, values)
    }
}

/// The text with its values in place of `{0}`, `{1}`, ...
fn filled(text: &str, values: &[&dyn Display]) -> String {
    let mut rest = text;
    let mut whole = String::with_capacity(text.len());
    while let Some((before, behind)) = rest.split_once('{') {
        whole += before;
        let value = behind.split_once('}').and_then(|(number, after)| {
            let value = values.get(number.parse::<usize>().ok()?)?;
            Some((value, after))
        });
        rest = match value {
            Some((value, after)) => {
                whole += &value.to_string();
                after
            }
            None => {
                whole.push('{');
                behind
            }
        };
    }
    whole + rest
}

/// The texts of a language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextCatalogue {
    /// The forms of each text by its key: one, or two where it depends on a number.
    texts: HashMap<String, Vec<String>>,
    /// Which numbers take the first of two forms.
    first_form: FirstForm,
    entries: Vec<PoEntry>,
}

/// Which numbers take the form for one thing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum FirstForm {
    /// The number 1 alone.
    #[default]
    One,
    /// The numbers 0 and 1.
    ZeroAndOne,
}

impl TextCatalogue {
    /// Reads a file in the format PO.
    ///
    /// # Errors
    /// It is not in this format, a text lacks a translation or a form, a key stands there twice, or the language has
    /// other plural forms than those that are known here.
    pub fn read(source: &str) -> Result<TextCatalogue, PoError> {
        let (header, entries) = po::read(source)?;
        let plural = header.lines().find_map(|line| line.strip_prefix("Plural-Forms:")).unwrap_or_default();
        let first_form = match plural.trim() {
            "nplurals=2; plural=(n != 1);" => FirstForm::One,
            "nplurals=2; plural=(n > 1);" => FirstForm::ZeroAndOne,
            other => return Err(PoError::Plural(other.to_owned())),
        };
        let mut texts = HashMap::new();
        for entry in &entries {
            let key = match &entry.context {
                Some(context) => format!("{context}{CONTEXT}{}", entry.id),
                None => entry.id.clone(),
            };
            if texts.insert(key, entry.forms.clone()).is_some() {
                return Err(PoError::Twice(entry.id.clone()));
            }
        }
        Ok(TextCatalogue { texts, first_form, entries })
    }

    /// The texts as they stand in the file.
    pub fn entries(&self) -> &[PoEntry] {
        &self.entries
    }

    /// Which form a number takes.
    pub fn form(&self, number: u64) -> usize {
        let one = match self.first_form {
            FirstForm::One => number == 1,
            FirstForm::ZeroAndOne => number <= 1,
        };
        usize::from(!one)
    }

    /// The texts as the page reads them: a text or a list of forms by key.
    pub fn json(&self) -> serde_json::Value {
        let value = |forms: &[String]| match forms {
            [text] => text.as_str().into(),
            forms => forms.into(),
        };
        let sorted: std::collections::BTreeMap<&String, serde_json::Value> =
            self.texts.iter().map(|(key, forms)| (key, value(forms))).collect();
        serde_json::json!(sorted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_catalogue_can_be_read() {
        for (language, source) in SOURCES {
            let catalogue =
                TextCatalogue::read(source).unwrap_or_else(|error| panic!("{}: {error}", language.code()));
            assert!(catalogue.entries().len() > 500, "{}", language.code());
        }
        let named: Vec<Language> = SOURCES.iter().map(|(language, _)| *language).collect();
        assert_eq!(named, Language::ALL[1..], "each language but English has a catalogue");
    }

    #[test]
    fn the_language_is_that_of_the_first_variable_that_is_set() {
        let of = |set: &[(&str, &str)]| {
            Language::of_environment(|name| {
                set.iter().find(|(of, _)| *of == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[]), Language::English);
        assert_eq!(of(&[("LANG", "fr_FR.UTF-8")]), Language::French);
        assert_eq!(of(&[("LANG", "fr_FR.UTF-8"), ("LC_ALL", "C")]), Language::English);
        assert_eq!(of(&[("LANG", "fr_FR.UTF-8"), ("LC_ALL", "")]), Language::French);
        assert_eq!(of(&[("LANG", "en_GB.UTF-8"), ("LC_MESSAGES", "fr_CH")]), Language::French);
        assert_eq!(of(&[("LANG", "fr_FR"), ("LC_ALL", "xx_YY")]), Language::English);
        let names = ["fr", "FR-ca", "fr@euro", "C.UTF-8", "POSIX", "frp", ""].map(Language::from_locale);
        let (english, french) = (Some(Language::English), Some(Language::French));
        assert_eq!(names, [french, french, french, english, english, None, None]);
    }

    #[test]
    fn values_are_put_in_by_their_numbers() {
        assert_eq!(filled("{1} of {0}, {1}", &[&2, &"a"]), "a of 2, a");
        assert_eq!(filled("{0} {2} {x} {", &[&"{1}", &0]), "{1} {2} {x} {");
        assert_eq!(Language::English.text("{0} of {1} busy", &[&1, &2]), "1 of 2 busy");
        assert_eq!(Language::French.text("{0} of {1} busy", &[&1, &2]), "1 sur 2 occup\u{e9}s");
        assert_eq!(Language::French.text("no such text {0}", &[&1]), "no such text 1");
    }

    #[test]
    fn numbers_take_the_form_of_the_language() {
        let moves = |language: Language, n| language.counted(n, ["{0} move", "{0} moves"], &[&n]);
        assert_eq!([0, 1, 2].map(|n| moves(Language::German, n)), ["0 Z\u{fc}ge", "1 Zug", "2 Z\u{fc}ge"]);
        assert_eq!([0, 1, 2].map(|n| moves(Language::English, n)), ["0 moves", "1 move", "2 moves"]);
        assert_eq!([0, 1, 2].map(|n| moves(Language::French, n)), ["0 coup", "1 coup", "2 coups"]);
    }
}
