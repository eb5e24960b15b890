//! Tests of the JSON reader and writer.

use super::*;
use proptest::prelude::*;

fn refused(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn real_files_have_comments_trailing_commas_and_repeated_keys() {
    let value = parse("{ /* first */ \"run\": 1, // then\n  \"run\": [2, 3,],\n}").unwrap();
    let members = value.members();
    assert_eq!(members.len(), 2);
    assert_eq!((members[0].key.as_str(), members[0].line, members[0].column), ("run", 1, 15));
    assert_eq!((members[1].line, members[1].column), (2, 3));
    assert_eq!((members[1].value.line, members[1].value.column), (2, 10));
    assert_eq!(members[1].value, Value::from(vec![2_u32, 3]));
}

#[test]
fn columns_count_characters() {
    let value = parse("{\"ä\": 1, \"b\": 2}").unwrap();
    assert_eq!(value.members()[1].column, 10);
}

#[test]
fn what_is_no_json_is_told_once_with_its_place() {
    assert_eq!(refused(""), "the text is empty; a scenario document or an rt-app file was expected");
    assert_eq!(refused(" \n\t"), refused(""));
    assert_eq!(refused("// nothing"), "there is nothing but comments; a JSON object was expected");
    assert_eq!(refused("{\"a\": 1\n \"b\": 2}"), "line 1, column 8: no valid JSON: expected comma");
    assert!(refused("{\"a\": [1, 2}").starts_with("line 1, column 12: no valid JSON"));
    assert!(refused("{} {}").contains("more than one JSON value"));
    assert!(refused("{'a': 1}").contains("ingle-quoted"));
    assert_eq!(refused("{\"a\": NaN}"), "line 1, column 7: no valid JSON: unexpected token");
    assert!(refused("\u{7f}ELF\0\0").contains("no text"));
    assert!(refused("{\"a\": \"\\ud800\"}").contains("no valid JSON"));
}

#[test]
fn size_and_depth_are_bounded() {
    let long = " ".repeat(50 << 20);
    assert_eq!(refused(&long), "the text is too long: 50 MiB, at most 4 MiB are read");
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(&nested(MOST_DEPTH)).is_ok());
    assert!(refused(&nested(MOST_DEPTH + 1)).contains("nested too deeply"));
    assert!(refused(&nested(100_000)).contains("nested too deeply"));
    assert!(refused(&"{\"a\":".repeat(700_000)).contains("nested too deeply"));
}

#[test]
fn one_long_line_is_read_quickly() {
    let text = format!("[{}]", "1,".repeat(1 << 20));
    let started = std::time::Instant::now();
    assert!(parse(&text).is_ok());
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}

#[test]
fn writing_keeps_repeated_keys_and_escapes() {
    let value =
        parse("{\"run\": 1, \"run\": 2, \"a\\\"\\n\\u0001ä\": [], \"o\": {}, \"l\": [0, {\"x\": null}]}").unwrap();
    let pretty = "{\n  \"run\": 1,\n  \"run\": 2,\n  \"a\\\"\\n\\u0001ä\": [],\n  \"o\": {},\n  \"l\": [\n    0,\n    {\n      \
                  \"x\": null\n    }\n  ]\n}\n";
    assert_eq!(value.to_pretty(), pretty);
    assert_eq!(value.to_compact(), "{\"run\":1,\"run\":2,\"a\\\"\\n\\u0001ä\":[],\"o\":{},\"l\":[0,{\"x\":null}]}");
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::from(Kind::Null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(|text| Value::from(text.as_str())),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..5).prop_map(|members| {
                let mut object = Value::object();
                for (key, value) in members {
                    object.push(&key, value);
                }
                object
            }),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in any_value()) {
        prop_assert_eq!(&parse(&value.to_pretty()).unwrap(), &value);
        prop_assert_eq!(&parse(&value.to_compact()).unwrap(), &value);
    }

    #[test]
    fn strings_are_strict_json(text in any::<String>()) {
        let written = Value::from(text.as_str()).to_compact();
        prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = parse(&text);
    }
}
