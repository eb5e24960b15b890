//! Writes values as strict JSON. Repeated keys are kept; order is kept.

use super::{Kind, Value};

impl Value {
    /// As text for people: two blanks a level, short lists of numbers on one line, a line feed at
    /// the end.
    #[must_use]
    pub fn to_pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, Some(0));
        out.push('\n');
        out
    }

    /// As text without blanks.
    #[must_use]
    pub fn to_compact(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, None);
        out
    }

    fn write(&self, out: &mut String, level: Option<usize>) {
        match &self.kind {
            Kind::Null => out.push_str("null"),
            Kind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Kind::Number(text) => out.push_str(text),
            Kind::String(text) => write_string(text, out),
            Kind::List(items) => {
                let on_one_line = items.iter().all(|item| matches!(item.kind, Kind::Number(_)));
                let inner = if on_one_line { None } else { level.map(|level| level + 1) };
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push_str(if on_one_line && level.is_some() { ", " } else { "," });
                    }
                    new_line(out, inner);
                    item.write(out, inner);
                }
                if !on_one_line {
                    new_line(out, level);
                }
                out.push(']');
            }
            Kind::Object(members) => {
                let inner = level.map(|level| level + 1);
                out.push('{');
                for (index, member) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    new_line(out, inner);
                    write_string(&member.key, out);
                    out.push_str(if level.is_some() { ": " } else { ":" });
                    member.value.write(out, inner);
                }
                if !members.is_empty() {
                    new_line(out, level);
                }
                out.push('}');
            }
        }
    }
}

fn new_line(out: &mut String, level: Option<usize>) {
    if let Some(level) = level {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if u32::from(control) < 0x20 || control == '\u{7f}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
