//! What other programs may use of the library: the public items of the modules that are meant for them, read from the
//! sources, and written as `docs/library.md`. So a change of the surface is seen in review.

use quote::ToTokens;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Fields, ImplItem, Item, TraitItem, Visibility};

/// The modules of the surface and what each is for, in the order of imports.
const MODULES: [(&str, &str); 19] = [
    ("core::ctl", "How a running search talks to its caller."),
    ("core::histogram", "Counts of scores."),
    ("core::search", "What every search is."),
    ("core::seed", "Random numbers that are derived from seeds."),
    ("morpion::board", "The board: occupied points, used segments."),
    ("morpion::canonical", "What grids have in common up to symmetry and order of moves."),
    ("morpion::geometry", "Points, directions, lines and moves."),
    ("morpion::position", "A position with its list of legal moves, which are kept up to date."),
    ("morpion::referee", "The second implementation of the rules, which shares nothing with the first."),
    ("morpion::symmetry", "The 8 symmetries."),
    ("morpion::variant", "The four variants."),
    ("notation::file", "Grids in files."),
    ("notation::format", "Grids in texts of any format."),
    ("notation::grid", "A grid and where it comes from."),
    ("notation::identify", "Which known record a grid is."),
    ("notation::records", "The known records."),
    ("strategies", "Begin and continue a search."),
    ("strategies::params", "The parameters of searches."),
    ("render::grid", "Pictures of grids."),
];

const INTRODUCTION: &str = "\
# The library

The crate `morpion` is a library too. Other programs may use the modules on this page: the engine, grid files, the
searches, pictures. What is listed here keeps its meaning until the next minor version (0.2 to 0.3), and
[CHANGELOG.md](../CHANGELOG.md) names what changes then. Everything else is public for the program's own use, and may
change at any time.

[`examples/`](../examples) has programs that use it. In a `Cargo.toml`:

```toml
[dependencies.morpion]
path = \"../morpion\"
default-features = false
features = [\"render\"]
```

Without the default features, the crate has neither the command line nor the daemon, and few dependencies; without
`render` it has no pictures either. What is left is the crate `morpion-engine` (in `engine/`), whose modules have the same
names: a program that draws nothing may depend on it alone.

The documentation of the items is made by `cargo doc --open`. This page is generated from the sources
(`MORPION_WRITE=1 cargo test --test docs`), so please do not edit it.
";

/// The page.
pub fn page(root: &Path) -> String {
    let mut text = String::from(INTRODUCTION);
    for (module, purpose) in MODULES {
        let source = fs::read_to_string(source_of(root, module)).expect("a module of the surface has a file");
        let file = syn::parse_file(&source).expect("the sources are Rust");
        let mut lines = Vec::new();
        items(&file.items, &mut lines);
        assert!(!lines.is_empty(), "{module} has no public item");
        let _ = write!(text, "\n## `{module}`\n\n{purpose}\n\n```text\n{}\n```\n", lines.join("\n"));
    }
    text
}

/// The file of a module, whichever of the two packages it is in.
fn source_of(root: &Path, module: &str) -> PathBuf {
    let path = |sources: &str| root.join(sources).join(module.replace("::", "/"));
    let files = ["engine/src", "src"].map(path).map(|path| [path.with_extension("rs"), path.join("mod.rs")]);
    files.into_iter().flatten().find(|file| file.exists()).expect("a module of the surface has a file")
}

/// The tokens as they are written, more or less: without blanks where nobody puts any.
fn written(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (from, to) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("< ", "<"),
        (" ,", ","),
        (",)", ")"),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" ;", ";"),
        (" :", ":"),
        ("[ ", "["),
        (" ]", "]"),
        (">(", "> ("),
        ("->(", "-> ("),
        ("=(", "= ("),
        (":(", ": ("),
        (",(", ", ("),
        ("' ", "'"),
    ] {
        text = text.replace(from, to);
    }
    text
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| written(attribute).contains("cfg(test)"))
}

/// The signature of a function without its body.
fn signature(signature: &syn::Signature) -> String {
    written(signature)
}

fn fields(fields: &Fields, indent: &str, lines: &mut Vec<String>) {
    for field in fields {
        let name = field.ident.as_ref().map_or(String::new(), |name| format!("{name}: "));
        lines.push(format!("{indent}{name}{}", written(&field.ty)));
    }
}

/// The fields that other programs see; a structure with others cannot be made by them.
fn public_fields(all: &Fields, lines: &mut Vec<String>) {
    for field in all {
        if is_public(&field.vis) {
            let name = field.ident.as_ref().map_or(String::new(), |name| format!("{name}: "));
            lines.push(format!("    {name}{}", written(&field.ty)));
        }
    }
    if all.iter().any(|field| !is_public(&field.vis)) {
        lines.push("    ..".to_owned());
    }
}

fn items(all: &[Item], lines: &mut Vec<String>) {
    for item in all {
        match item {
            Item::Fn(item) if is_public(&item.vis) => lines.push(signature(&item.sig)),
            Item::Const(item) if is_public(&item.vis) => {
                lines.push(format!("const {}: {}", item.ident, written(&item.ty)));
            }
            Item::Static(item) if is_public(&item.vis) => {
                lines.push(format!("static {}: {}", item.ident, written(&item.ty)));
            }
            Item::Type(item) if is_public(&item.vis) => {
                lines.push(format!("type {}{} = {}", item.ident, written(&item.generics), written(&item.ty)));
            }
            Item::Struct(item) if is_public(&item.vis) => {
                lines.push(format!("struct {}{}", item.ident, written(&item.generics)));
                public_fields(&item.fields, lines);
            }
            Item::Enum(item) if is_public(&item.vis) => {
                lines.push(format!("enum {}{}", item.ident, written(&item.generics)));
                for variant in &item.variants {
                    lines.push(format!("    {}", variant.ident));
                    fields(&variant.fields, "        ", lines);
                }
            }
            Item::Trait(item) if is_public(&item.vis) => {
                lines.push(format!("trait {}{}", item.ident, written(&item.generics)));
                for item in &item.items {
                    match item {
                        TraitItem::Fn(function) => lines.push(format!("    {}", signature(&function.sig))),
                        TraitItem::Const(constant) => {
                            lines.push(format!("    const {}: {}", constant.ident, written(&constant.ty)));
                        }
                        TraitItem::Type(kind) => lines.push(format!("    type {}", kind.ident)),
                        _ => {}
                    }
                }
            }
            Item::Impl(item) if !is_test(&item.attrs) => implementation(item, lines),
            Item::Use(item) if is_public(&item.vis) => lines.push(format!("use {}", written(&item.tree))),
            Item::Macro(item) if item.attrs.iter().any(|attribute| written(attribute).contains("macro_export")) => {
                lines.extend(item.ident.as_ref().map(|name| format!("macro {name}!")));
            }
            _ => {}
        }
    }
}

/// The public functions of a type, or that it implements a trait.
fn implementation(item: &syn::ItemImpl, lines: &mut Vec<String>) {
    let of = written(&item.self_ty);
    if let Some((path, _)) = &item.trait_ {
        lines.push(format!("impl {} for {of}", written(path)));
        return;
    }
    let mut functions = Vec::new();
    for item in &item.items {
        match item {
            ImplItem::Fn(function) if is_public(&function.vis) => {
                functions.push(format!("    {}", signature(&function.sig)));
            }
            ImplItem::Const(constant) if is_public(&constant.vis) => {
                functions.push(format!("    const {}: {}", constant.ident, written(&constant.ty)));
            }
            _ => {}
        }
    }
    if !functions.is_empty() {
        lines.push(format!("impl {of}"));
        lines.append(&mut functions);
    }
}
