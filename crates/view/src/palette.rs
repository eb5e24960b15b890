//! Colours of the page in both themes, and what tells kinds apart besides colour: a letter for
//! each kind of task, stroke and fill for each variant. The style sheet has the same values; a
//! test keeps them the same. Not for layout.

use std::collections::BTreeSet;

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on light paper.
    #[default]
    Light,
    /// Light ink on dark paper.
    Dark,
}

/// A colour, red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// What charts need beside the colours of tasks and variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// The background of a card.
    pub panel: Colour,
    /// Text.
    pub ink: Colour,
    /// Secondary text: axis labels.
    pub mute: Colour,
    /// Grid lines.
    pub line: Colour,
    /// Axes.
    pub axis: Colour,
}

/// How a variant's curve is stroked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// An unbroken line.
    Solid,
    /// Dashes of this length and gap, in CSS pixels.
    Dashed(u8, u8),
}

/// How many colours there are for kinds of tasks; more kinds begin again.
pub const TASK_COLOURS: usize = 6;

/// How many colours there are for variants; more variants begin again.
pub const VARIANT_COLOURS: usize = 4;

impl Theme {
    /// The colour of the task kind at `index`.
    #[must_use]
    pub const fn task(self, index: usize) -> Colour {
        const LIGHT: [Colour; TASK_COLOURS] = [
            Colour(0x00, 0x72, 0xb2),
            Colour(0xe6, 0x9f, 0x00),
            Colour(0x00, 0x9e, 0x73),
            Colour(0xcc, 0x79, 0xa7),
            Colour(0x56, 0xb4, 0xe9),
            Colour(0x7d, 0x6f, 0x00),
        ];
        const DARK: [Colour; TASK_COLOURS] = [
            Colour(0x58, 0xae, 0xe6),
            Colour(0xf0, 0xb8, 0x3f),
            Colour(0x3f, 0xc7, 0x9d),
            Colour(0xe0, 0x9b, 0xc4),
            Colour(0x8f, 0xd0, 0xf5),
            Colour(0xd5, 0xc9, 0x4a),
        ];
        match self {
            Self::Light => LIGHT[index % TASK_COLOURS],
            Self::Dark => DARK[index % TASK_COLOURS],
        }
    }

    /// The colour of the variant at `index`.
    #[must_use]
    pub const fn variant(self, index: usize) -> Colour {
        const LIGHT: [Colour; VARIANT_COLOURS] =
            [Colour(0x00, 0x6a, 0xa6), Colour(0xb8, 0x4f, 0x00), Colour(0x00, 0x78, 0x57), Colour(0x9c, 0x45, 0x78)];
        const DARK: [Colour; VARIANT_COLOURS] =
            [Colour(0x58, 0xae, 0xe6), Colour(0xf0, 0x8a, 0x3c), Colour(0x3f, 0xc7, 0x9d), Colour(0xe0, 0x9b, 0xc4)];
        match self {
            Self::Light => LIGHT[index % VARIANT_COLOURS],
            Self::Dark => DARK[index % VARIANT_COLOURS],
        }
    }

    /// The other colours of charts.
    #[must_use]
    pub const fn ink(self) -> Ink {
        match self {
            Self::Light => Ink {
                panel: Colour(0xff, 0xff, 0xff),
                ink: Colour(0x1b, 0x1c, 0x1f),
                mute: Colour(0x5c, 0x5f, 0x66),
                line: Colour(0xe3, 0xe3, 0xde),
                axis: Colour(0xcf, 0xcf, 0xc8),
            },
            Self::Dark => Ink {
                panel: Colour(0x18, 0x19, 0x1d),
                ink: Colour(0xe7, 0xe8, 0xeb),
                mute: Colour(0x9e, 0xa3, 0xac),
                line: Colour(0x29, 0x2b, 0x31),
                axis: Colour(0x3a, 0x3d, 0x45),
            },
        }
    }

    /// The value of the page's `data-theme`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl Colour {
    /// As a style sheet writes it: `#0072b2`.
    #[must_use]
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Contrast ratio with another colour as WCAG 2 defines it, 1 to 21.
    #[must_use]
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Black or white ink, whichever reads better on this colour.
    #[must_use]
    pub fn ink_on(self) -> Self {
        let (black, white) = (Self(0x10, 0x11, 0x14), Self(0xff, 0xff, 0xff));
        if self.contrast(white) >= self.contrast(black) { white } else { black }
    }

    fn luminance(self) -> f64 {
        let channel = |byte: u8| {
            let part = f64::from(byte) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(self.0) + 0.7152 * channel(self.1) + 0.0722 * channel(self.2)
    }
}

/// The stroke of the variant at `index`: the first is solid, the others dashed differently.
#[must_use]
pub const fn stroke(index: usize) -> Stroke {
    match index % VARIANT_COLOURS {
        0 => Stroke::Solid,
        1 => Stroke::Dashed(6, 3),
        2 => Stroke::Dashed(2, 2),
        _ => Stroke::Dashed(10, 3),
    }
}

/// Whether the bars of the variant at `index` are filled; the others are outlined.
#[must_use]
pub const fn filled(index: usize) -> bool {
    index.is_multiple_of(2)
}

/// The letter of the variant at `index`: `A`, `B`, … `Z`, then `A2` and so on.
#[must_use]
pub fn variant_letter(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26 + 1) }
}

/// The letter of the cookie at `index`: `a`, `b`, … `z`, then `a2` and so on.
#[must_use]
pub fn cookie_letter(index: usize) -> String {
    variant_letter(index).to_lowercase()
}

/// One letter or digit for each name, different as long as that is possible: the first that is
/// free of the name's first letter, its capitals, beginnings of words and digits, its other
/// letters, and the alphabet.
#[must_use]
pub fn letters<S: AsRef<str>>(names: &[S]) -> Vec<char> {
    let mut letters: Vec<char> = Vec::with_capacity(names.len());
    let mut taken = BTreeSet::new();
    for name in names {
        let usable: Vec<(bool, char)> = marked(name.as_ref());
        let outstanding = usable.iter().filter(|(stands_out, _)| *stands_out).map(|(_, letter)| *letter);
        let others = usable.iter().filter(|(stands_out, _)| !stands_out).map(|(_, letter)| *letter);
        let spare = ('A'..='Z').chain('0'..='9');
        let letter = outstanding.chain(others).chain(spare).find(|letter| !taken.contains(letter)).unwrap_or('?');
        letters.push(letter);
        taken.insert(letter);
    }
    letters
}

/// The letters and digits of a name in capitals, each with whether it stands out.
fn marked(name: &str) -> Vec<(bool, char)> {
    let mut inside = false;
    let mut found = Vec::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            found.push((!inside || !letter.is_ascii_lowercase(), letter.to_ascii_uppercase()));
        }
        inside = letter.is_ascii_alphanumeric();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_differ() {
        assert_eq!(letters(&["hog", "hammer", "cyclictest"]), ['H', 'A', 'C']);
        assert_eq!(letters(&["BrowserMain", "BrowserSub1", "BrowserSub2", "Binder-dummy"]), ['B', 'S', '2', 'D']);
        assert_eq!(letters(&["a", "a", "a"]), ['A', 'B', 'C']);
        assert_eq!(letters(&["", "é"]), ['A', 'B']);
        let many: Vec<String> = (0..50).map(|n| format!("t{n}")).collect();
        assert_eq!(letters(&many).iter().filter(|l| **l == '?').count(), 14);
    }

    #[test]
    fn variants_can_be_read_on_a_card() {
        for theme in [Theme::Light, Theme::Dark] {
            let ink = theme.ink();
            for index in 0..VARIANT_COLOURS {
                assert!(theme.variant(index).contrast(ink.panel) >= 4.5, "{theme:?} variant {index}");
            }
            assert!(ink.mute.contrast(ink.panel) >= 4.5 && ink.ink.contrast(ink.panel) >= 7.0);
        }
    }

    #[test]
    fn letters_can_be_read_on_their_chips() {
        for theme in [Theme::Light, Theme::Dark] {
            for index in 0..TASK_COLOURS {
                let colour = theme.task(index);
                assert!(colour.contrast(colour.ink_on()) >= 4.5, "{theme:?} task {index}");
            }
        }
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((Colour(0, 0, 0).contrast(Colour(255, 255, 255)) - 21.0).abs() < 1e-9);
        assert!((Colour(0x77, 0x77, 0x77).contrast(Colour(255, 255, 255)) - 4.48).abs() < 0.01);
    }

    #[test]
    fn neighbours_differ_by_more_than_colour() {
        for index in 0..VARIANT_COLOURS - 1 {
            assert_ne!(stroke(index), stroke(index + 1));
            assert_ne!(filled(index), filled(index + 1));
        }
        assert_eq!([variant_letter(0), variant_letter(25), variant_letter(26)], ["A", "Z", "A2"]);
    }

    #[test]
    fn the_style_sheet_has_the_same_colours() {
        let sheet = include_str!("../../../web/style/base.css").to_lowercase();
        for theme in [Theme::Light, Theme::Dark] {
            let ink = theme.ink();
            let mut colours = vec![ink.panel, ink.ink, ink.mute, ink.line, ink.axis];
            colours.extend((0..TASK_COLOURS).map(|index| theme.task(index)));
            colours.extend((0..VARIANT_COLOURS).map(|index| theme.variant(index)));
            for colour in colours {
                assert!(sheet.contains(&colour.css()), "{} of {theme:?} is not in base.css", colour.css());
            }
        }
    }
}
