//! How long the functions of the page's scripts are.
//!
//! A scanner that knows strings, templates, regular expressions and comments, and follows the brackets outside of
//! them. The body of a function is what braces enclose behind `=>` or behind a list of parameters, or the expression
//! behind `=>`.

use super::report;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Most lines of a function, from its parameters to the end of its body.
const LONGEST: usize = 80;

/// Words before a parenthesis that does not hold parameters.
const CONTROL: [&str; 6] = ["if", "for", "while", "switch", "catch", "with"];

/// A bracket that is still open.
enum Bracket {
    /// A parenthesis: the line of it, and the word before it.
    Round(usize, String),
    /// The braces of a function's body: the line where the function begins.
    Body(usize),
    /// An expression within a template.
    Template,
    Other,
}

/// What stands before the place that is scanned.
enum Before {
    /// An operator or an opening bracket: a slash begins a regular expression.
    Operator,
    /// A name, a number, a text or a closing bracket: a slash divides.
    Value,
    /// `=>`, on this line.
    Arrow(usize),
    /// The end of what may be parameters, which began on this line.
    Parameters(usize),
}

struct Scanner<'a> {
    rest: &'a str,
    line: usize,
    open: Vec<Bracket>,
    /// Functions whose body is an expression: their lines, and how many brackets were open.
    expressions: Vec<(usize, usize)>,
    before: Before,
    word: &'a str,
    /// First line and number of lines of each function.
    found: Vec<(usize, usize)>,
}

impl<'a> Scanner<'a> {
    /// Goes on by so many bytes.
    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at(bytes);
        self.line += skipped.matches('\n').count();
        self.rest = rest;
    }

    /// Goes behind the text or regular expression that begins here with one byte and ends with `end`.
    fn literal(&mut self, end: char) {
        let (mut escaped, mut class) = (false, false);
        let inside = self.rest.char_indices().skip(1);
        let close = inside.into_iter().find(|&(_, c)| {
            let closes = c == end && !escaped && !class;
            class = end == '/' && !escaped && (c == '[' || class && c != ']') || class && escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        let (at, _) = close.unwrap_or_else(|| panic!("line {}: what begins here with {end} does not end", self.line));
        self.skip(at + 1);
        self.before = Before::Value;
    }

    /// Goes on in a template, behind its beginning or behind an expression in it, to its end or its next expression.
    fn template(&mut self) {
        loop {
            let stop =
                self.rest.find(['`', '\\', '$']).unwrap_or_else(|| panic!("line {}: an open template", self.line));
            self.skip(stop);
            if self.rest.starts_with("${") {
                self.skip(2);
                self.open.push(Bracket::Template);
                self.before = Before::Operator;
                return;
            }
            let (end, escape) = (self.rest.starts_with('`'), self.rest.starts_with('\\'));
            self.skip(if escape { 2 } else { 1 });
            if end {
                self.before = Before::Value;
                return;
            }
        }
    }

    fn opening(&mut self, bracket: char) {
        self.open.push(match (bracket, &self.before) {
            ('(', _) => Bracket::Round(self.line, std::mem::take(&mut self.word).to_owned()),
            ('{', &(Before::Arrow(line) | Before::Parameters(line))) => Bracket::Body(line),
            _ => Bracket::Other,
        });
        self.before = Before::Operator;
    }

    fn closing(&mut self) {
        self.end_expressions();
        self.before = match self.open.pop().unwrap_or_else(|| panic!("line {}: one bracket too many", self.line)) {
            Bracket::Round(line, word) if !CONTROL.contains(&&*word) => Before::Parameters(line),
            Bracket::Body(line) => {
                self.found.push((line, self.line - line + 1));
                Before::Value
            }
            Bracket::Template => return self.template(),
            Bracket::Round(..) | Bracket::Other => Before::Value,
        };
    }

    /// Ends the functions whose body is an expression at this depth.
    fn end_expressions(&mut self) {
        while let Some((line, _)) = self.expressions.pop_if(|&mut (_, depth)| depth == self.open.len()) {
            self.found.push((line, self.line - line + 1));
        }
    }

    /// Goes behind the next token.
    fn token(&mut self, c: char) {
        if let (Before::Arrow(line), true) = (&self.before, c != '{') {
            self.expressions.push((*line, self.open.len()));
        }
        let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        if in_word(c) {
            let end = self.rest.find(|c| !in_word(c)).unwrap_or(self.rest.len());
            self.word = &self.rest[..end];
            self.before = if self.word == "return" { Before::Operator } else { Before::Value };
            return self.skip(end);
        }
        match c {
            '"' | '\'' => return self.literal(c),
            '/' if !matches!(self.before, Before::Value | Before::Parameters(_)) => return self.literal('/'),
            '`' => {
                self.skip(1);
                return self.template();
            }
            '=' if self.rest.starts_with("=>") => {
                self.before = Before::Arrow(self.line);
                return self.skip(2);
            }
            _ => self.skip(1),
        }
        match c {
            '(' | '[' | '{' => self.opening(c),
            ')' | ']' | '}' => self.closing(),
            _ => {
                if c == ',' || c == ';' {
                    self.end_expressions();
                }
                self.before = Before::Operator;
            }
        }
        self.word = "";
    }
}

/// First line and number of lines of each function of a script.
fn functions(script: &str) -> Vec<(usize, usize)> {
    let mut scanner = Scanner {
        rest: script,
        line: 1,
        open: Vec::new(),
        expressions: Vec::new(),
        before: Before::Operator,
        word: "",
        found: Vec::new(),
    };
    while let Some(c) = scanner.rest.chars().next() {
        let comment = [("//", "\n"), ("/*", "*/")].into_iter().find(|(begin, _)| scanner.rest.starts_with(begin));
        if let Some((_, end)) = comment {
            let length = scanner.rest.find(end).map_or(scanner.rest.len(), |at| at + end.len());
            scanner.skip(length);
        } else if c.is_whitespace() {
            scanner.skip(c.len_utf8());
        } else {
            scanner.token(c);
        }
    }
    assert!(scanner.open.is_empty(), "{} brackets are open at the end", scanner.open.len());
    scanner.found
}

fn scripts(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            scripts(&path, files);
        } else if path.extension().is_some_and(|e| e == "js") {
            files.push(path);
        }
    }
}

#[test]
fn functions_of_the_page_are_short() {
    let mut files = Vec::new();
    scripts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/daemon/ui/js"), &mut files);
    let (mut complaints, mut count) = (String::new(), 0);
    for file in &files {
        println!("{}", file.display());
        for (line, lines) in functions(&std::fs::read_to_string(file).unwrap()) {
            count += 1;
            if lines > LONGEST {
                let name = file.display();
                let _ =
                    writeln!(complaints, "{name}:{line}: a function of {lines} lines, at most {LONGEST} are allowed");
            }
        }
    }
    assert!(files.len() > 20 && count > 500, "{count} functions in {} scripts", files.len());
    report(&complaints);
}

#[test]
fn the_scanner_sees_functions_and_nothing_else() {
    let of = |text: &str| {
        let mut found = functions(text);
        found.sort_unstable();
        found
    };
    assert_eq!(of("function f(a) {\n}\n"), [(1, 2)]);
    assert_eq!(of("class A {\n  set(x) {\n    if (x) {\n    }\n  }\n}\n"), [(2, 4)]);
    assert_eq!(of("const f = async (x) => {\n  for (const y of x) {\n  }\n};\n"), [(1, 4)]);
    assert_eq!(of("const f = (x) => h(x,\n  x,\n  [x]);\nf();\n"), [(1, 3)]);
    assert_eq!(of("g(x => x,\n  y => [\n  y]);\n"), [(1, 1), (2, 2)]);
    assert_eq!(of("try {\n} catch (e) {\n} finally {\n}\nconst o = { a: 1 };\n"), []);
    assert_eq!(of("const a = '{' + \"(\\\"{\" + `{ ${ f({ a: `}` }) } (`;\n"), []);
    assert_eq!(of("// (\n/* {\n{ */ f(/[/{]\\/(/, a / b / c) ? `\\`{` : 0;\n"), []);
    let long = |lines: usize| format!("// a\nexport function f() {{\n{}}}\n", "  g();\n".repeat(lines - 2));
    assert_eq!((of(&long(80)), of(&long(81))), (vec![(2, 80)], vec![(2, 81)]));
}
