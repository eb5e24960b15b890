//! The path of a control group, such as `/a/b`.
//! Not for what a group is: that is [`super::Group`].

use std::fmt;

use crate::problem::Problem;
use crate::read::Node;

/// The most levels of a path: far more than anybody nests, and few enough to walk at every switch.
const MOST_LEVELS: usize = 32;
/// The longest name of a group, bytes, as file systems have it.
const LONGEST_NAME: usize = 255;

/// The path of a control group, from the root group: `/`, `/a`, `/a/b`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupPath(String);

impl GroupPath {
    /// Reads a path; `a` is `/a`, as in rt-app.
    ///
    /// # Errors
    /// What a path looks like, in words: it has an empty name, `.` or `..` in it, a name of more
    /// than 255 bytes, a control character, or more than 32 levels.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "/" {
            return Ok(Self::root());
        }
        let names = text.strip_prefix('/').unwrap_or(text);
        if names.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return Err("the path of a group looks like /a or /a/b".to_owned());
        }
        if names.split('/').any(|name| name.len() > LONGEST_NAME) {
            return Err(format!("the name of a group has at most {LONGEST_NAME} bytes"));
        }
        if names.chars().any(char::is_control) {
            return Err("the path of a group has no control characters".to_owned());
        }
        if names.split('/').count() > MOST_LEVELS {
            return Err(format!("the path of a group has at most {MOST_LEVELS} levels"));
        }
        Ok(Self(format!("/{names}")))
    }

    /// The root group, `/`.
    #[must_use]
    pub fn root() -> Self {
        Self("/".to_owned())
    }

    /// Whether it is the root group.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0 == "/"
    }

    /// The path as text, with the slash it begins with.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The groups on the way to it, from below the root to itself; none for the root.
    pub(crate) fn lineage(&self) -> impl Iterator<Item = Self> + '_ {
        let ends = self.0.match_indices('/').skip(1).map(|(at, _)| at).chain([self.0.len()]);
        ends.filter(|_| !self.is_root()).map(|end| Self(self.0[..end].to_owned()))
    }

    pub(crate) fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Option<Self> {
        let text = node.string("the path of a group", out)?;
        Self::parse(&text).map_err(|message| out.push(node.error(message))).ok()
    }
}

impl fmt::Display for GroupPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_with_or_without_its_first_slash() {
        for (text, path) in [("/", "/"), ("/a", "/a"), ("a", "/a"), ("a/b.slice/c d", "/a/b.slice/c d")] {
            assert_eq!(GroupPath::parse(text).map(|path| path.to_string()), Ok(path.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        let like = "looks like /a or /a/b";
        for text in ["", "//", "/a/", "a//b", "/./a", "/a/.."] {
            assert!(GroupPath::parse(text).is_err_and(|message| message.contains(like)), "{text}");
        }
        assert!(GroupPath::parse(&"x".repeat(255)).is_ok() && GroupPath::parse(&"x".repeat(256)).is_err());
        assert!(GroupPath::parse(&"/a".repeat(32)).is_ok() && GroupPath::parse(&"/a".repeat(33)).is_err());
        assert!(GroupPath::parse("/a\nb").is_err());
    }

    #[test]
    fn the_lineage_goes_from_the_top_down() {
        let lineage = |text: &str| {
            let path = GroupPath::parse(text).unwrap_or(GroupPath::root());
            path.lineage().map(|path| path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(lineage("/a/bc/d"), ["/a", "/a/bc", "/a/bc/d"]);
        assert_eq!(lineage("/a"), ["/a"]);
        assert!(lineage("/").is_empty());
    }
}
