//! Generated code of pass options, also of types that no pass has today.

#[path = "../../dialect/build/options.rs"]
mod options;

use options::{Choice, Declared, Kind};

fn declared<'a>() -> Declared<'a> {
    let choice = |member, kind, default| Choice {
        member,
        key: "key",
        kind,
        default,
        help: "help",
    };
    Declared {
        name: "DoIt",
        argument: "do-it",
        summary: "Do it",
        options: vec![
            choice("howMany", Kind::of("int32_t", "3", false, ""), "3"),
            choice("isLoud", Kind::of("bool", "false", false, ""), "false"),
            choice("name", Kind::of("std::string", "\"x\"", false, ""), "\"x\""),
            choice("target", Kind::of("std::string", "", false, ""), ""),
            choice("sizes", Kind::of("int64_t", "", true, ""), ""),
            choice("names", Kind::of("std::string", "", true, ""), ""),
        ],
    }
}

#[test]
fn options_become_fields_in_the_order_of_the_table() {
    let rust = options::rust(&[declared()]);
    for part in [
        "pub(super) how_many: i64,",
        "pub(super) is_loud: bool,",
        "pub(super) name: String,",
        "pub(super) target: Option<String>,",
        "pub(super) sizes: Vec<i64>,",
        "pub(super) names: Vec<String>,",
        "Self { how_many: 3,is_loud: false,name: \"x\".to_owned(),target: None,\
         sizes: Vec::new(),names: Vec::new(), }",
        "Self { how_many: values.number(),is_loud: values.number() != 0,name: values.text(),\
         target: Some(values.text()).filter(|text| !text.is_empty()),\
         sizes: (0..values.number()).map(|_| values.number()).collect(),\
         names: (0..values.number()).map(|_| values.text()).collect(), }",
        "Self::DoIt => Box::new(DoItOptions::read(values)),",
    ] {
        assert!(rust.contains(part), "no `{part}` in\n{rust}");
    }
}

#[test]
fn cpp_sends_them_in_the_same_order() {
    let cpp = options::cpp(&[declared()]);
    let line = "LL_PASS(DoIt, 0, LL_OPTION(howMany) LL_OPTION(isLoud) LL_OPTION(name) \
                LL_OPTION(target) LL_LIST_OPTION(sizes) LL_LIST_OPTION(names))";
    assert!(cpp.contains(line), "{cpp}");
    assert!(cpp.contains("#define GEN_PASS_DEF_DOIT"), "{cpp}");
}

#[test]
#[should_panic(expected = "`ratio` is a `float`; known are std::string, bool, int32_t")]
fn a_type_that_does_not_cross_is_named() {
    let _ = Kind::of("float", "1.0", false, "ratio");
}
