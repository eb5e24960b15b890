//! Sentences with the names of tasks and groups marked in them.
//! Not for making sentences.

use yew::prelude::*;

/// The sentence with the names set in bold.
pub(super) fn marked(sentence: &str, names: &[&str]) -> Html {
    let parts = pieces(sentence, names).into_iter().map(|(name, text)| {
        let text = text.to_owned();
        if name {
            html! { <b>{ text }</b> }
        } else {
            html! { { text } }
        }
    });
    html! { { for parts } }
}

/// Cuts a sentence into names and what stands between them. A name counts where no letter, digit,
/// `-`, `_` or `/` touches it.
fn pieces<'a>(sentence: &'a str, names: &[&str]) -> Vec<(bool, &'a str)> {
    let inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '/');
    let (mut found, mut begin, mut before) = (Vec::new(), 0, None);
    let mut rest = sentence.char_indices();
    while let Some((at, letter)) = rest.next() {
        let free = before.is_none_or(|letter| !inside(letter));
        before = Some(letter);
        if !free {
            continue;
        }
        let fits = |name: &&&str| {
            !name.is_empty()
                && sentence[at..].starts_with(**name)
                && sentence[at + name.len()..].chars().next().is_none_or(|letter| !inside(letter))
        };
        if let Some(name) = names.iter().filter(fits).max_by_key(|name| name.len()) {
            let end = at + name.len();
            if begin < at {
                found.push((false, &sentence[begin..at]));
            }
            found.push((true, &sentence[at..end]));
            begin = end;
            before = name.chars().last();
            rest = sentence.char_indices();
            rest.by_ref().take_while(|(at, letter)| at + letter.len_utf8() < end).for_each(drop);
        }
    }
    if begin < sentence.len() {
        found.push((false, &sentence[begin..]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whole() {
        let names = ["hog-1", "hog-12", "hog", "a", "/grp"];
        let of = |text| pieces(text, &names).into_iter().filter(|(name, _)| *name).map(|(_, t)| t).collect::<Vec<_>>();
        assert_eq!(of("hog-12 waits for hog-1."), ["hog-12", "hog-1"]);
        assert_eq!(of("In /grp: hog takes it; hogs do not, nor x-hog."), ["/grp", "hog"]);
        assert_eq!(of("a, then a"), ["a", "a"]);
        assert_eq!(of("Nobody is left."), Vec::<&str>::new());
    }

    #[test]
    fn nothing_of_the_sentence_is_lost() {
        for (text, names) in [("é-ü ran, é ran", vec!["é", "é-ü"]), ("ab", vec!["ab"]), ("", vec!["x", ""])] {
            let whole: String = pieces(text, &names).into_iter().map(|(_, part)| part).collect();
            assert_eq!(whole, text);
        }
        assert_eq!(pieces("é-ü ran, é ran", &["é", "é-ü"])[0], (true, "é-ü"));
    }
}
