//! What the page and its workers say to each other about experiments. Not for running them.

use schedlab_report::ExperimentReport;
use schedlab_scenario::library::Sought;
use serde::{Deserialize, Serialize};

/// What an experiment runs, reports and shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Every repeat of every variant of every part.
    pub runs: Vec<PlannedRun>,
    /// The names of its parts.
    pub parts: Vec<String>,
    /// The table without what is simulated.
    pub reported: ExperimentReport,
    /// Where to see why.
    pub looks: Vec<LookAt>,
}

/// One repeat of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedRun {
    /// The part.
    pub part: String,
    /// Which of its variants.
    pub variant: usize,
    /// Which repeat.
    pub repeat: u32,
}

/// A switch that explains something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookAt {
    /// What there is to see.
    pub text: String,
    /// The scenario document that shows it.
    pub document: String,
    /// In which of its variants.
    pub variant: usize,
    /// The switch.
    pub sought: Seek,
}

/// A switch by what it is; the fields are those of [`Sought`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seek {
    /// The name of its reason; empty: any.
    pub reason: String,
    /// How the name of the task that leaves begins; empty: any.
    pub prev: String,
    /// How the name of the task that comes in begins; empty: any.
    pub next: String,
    /// Not before this, nanoseconds.
    pub from_ns: u64,
}

impl From<&Sought> for Seek {
    fn from(sought: &Sought) -> Self {
        let Sought { reason, prev, next, from_ns } = sought.clone();
        Self { reason, prev, next, from_ns }
    }
}

impl From<Seek> for Sought {
    fn from(seek: Seek) -> Self {
        let Seek { reason, prev, next, from_ns } = seek;
        Self { reason, prev, next, from_ns }
    }
}

/// A figure of a variant, one value a repeat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The variant, as `PART/VARIANT`.
    pub variant: String,
    /// The figure's name.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
}
