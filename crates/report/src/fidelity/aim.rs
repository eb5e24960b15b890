//! How near the model should come to a kernel, figure by figure, and which scenarios are compared
//! loosely. The lists are those of the kernel runs' own README ("How to compare", "Wide ones").

use super::Figure;

/// How near a figure should come.
pub(super) struct Aim {
    /// The most that the deviation may be: points, or per cent.
    pub(super) within: f64,
    /// Differences below this are inside whatever they are in per cent; in the figure's unit.
    below: f64,
    /// Whether the order of magnitude is all that is compared.
    magnitude: bool,
}

impl Aim {
    /// Whether a value is inside by one of the rules beside the deviation.
    pub(super) fn also(&self, real: f64, model: f64) -> bool {
        let same_magnitude = real > 0.0 && model > 0.0 && (0.1..=10.0).contains(&(model / real));
        (model - real).abs() < self.below || (self.magnitude && same_magnitude)
    }
}

/// What stands for any kernel.
const ANY: &str = "";

/// What varies much from variant to variant, or flips between states: scenario and kernel.
const LOOSE: [(&str, &str); 23] = [
    // Shares: few long slices in the window.
    ("L3", ANY),
    ("L_s", ANY),
    ("Y2", ANY),
    ("G_nowp", ANY),
    ("K_r50", ANY),
    ("J4_12", "6.1"),
    // Kernel threads push a slice of 12 ms past a tick.
    ("J2_12", ANY),
    // Wake delays.
    ("K", ANY),
    ("F_hrtick", "6.12"),
    ("E_h100", ANY),
    ("E_h100_nops", ANY),
    ("E_cs_h100", ANY),
    ("E_cs_h100_nops", ANY),
    ("E_cs_t8", ANY),
    ("D_rnd", "6.12"),
    // Switches, migrations and shares of the second set.
    ("P5", "6.1"),
    ("P5", "6.12"),
    ("P10", "6.12"),
    // Cores that flip between states.
    ("M1_cookie", ANY),
    ("M2_cookie", ANY),
    ("Q1", ANY),
    ("Q2", ANY),
    ("Q6", ANY),
];

/// Scenarios whose rates depend on the turns of the virtual CPUs: compared to within 40 % only.
const RATES: [&str; 2] = ["P7", "P17_P7"];

/// Scenarios whose forced idle is compared by order of magnitude only.
const MAGNITUDE: [&str; 2] = ["Q2", "Q6"];

/// The aim of a figure: shares within 1 point, other parts within 2, rates within 5 %, delays
/// within 10 % or 5 µs; three times that where the comparison is loose.
pub(super) fn of(scenario: &str, kernel: &str, figure: &Figure) -> Aim {
    let loose = LOOSE.iter().any(|(name, on)| *name == scenario && (*on == ANY || *on == kernel));
    let (aim, below) = match figure {
        Figure::Share(_) => (1.0, 0.0),
        Figure::Switches | Figure::Migrations | Figure::MigrationsAtWakeup | Figure::MigrationsByBalance => (5.0, 0.0),
        Figure::WakeDelayMean(_) | Figure::WakeDelayP99(_) | Figure::WaitMean(_) | Figure::WaitP99(_) => (10.0, 5.0),
        _ => (2.0, 0.0),
    };
    let rate = figure.unit() == "1/s" && RATES.contains(&scenario);
    Aim {
        within: if rate { 40.0 } else { aim * if loose { 3.0 } else { 1.0 } },
        below,
        magnitude: *figure == Figure::ForcedIdle && MAGNITUDE.contains(&scenario),
    }
}
