//! What the page knows, as one value: the scenario with its history, the text being edited, the
//! run on its way, the last results, and what is selected. Changes only by its actions.
//! Not for the browser: no timers, workers or storage here.

mod heard;

use std::collections::BTreeMap;
use std::rc::Rc;

use schedlab_report::{Comparison, VariantReport};
use schedlab_scenario::{Problem, Scenario};
use yew::Reducible;

use crate::instant::Instant;
use crate::protocol::{Explained, Filter, FromWorker, Imported, Seek, Stage, Switch, Timeline};

/// How many steps back there are.
const MOST_STEPS: usize = 200;

/// A change of one field of the scenario.
pub struct Edit {
    /// Which field: changes of one field in a row are one step back.
    pub field: String,
    /// The change.
    pub change: Box<dyn FnOnce(&mut Scenario)>,
}

impl Edit {
    /// A change of a field.
    pub fn new(field: impl Into<String>, change: impl FnOnce(&mut Scenario) + 'static) -> Self {
        Self { field: field.into(), change: Box::new(change) }
    }
}

/// Something that the page tells, until it is dismissed.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// What happened, in a sentence.
    pub title: String,
    /// The particulars.
    pub problems: Vec<Problem>,
    /// Whether it is an error.
    pub bad: bool,
}

impl Message {
    /// Good news, or at least no error.
    pub fn note(title: impl Into<String>, problems: Vec<Problem>) -> Self {
        Self { title: title.into(), problems, bad: false }
    }

    /// An error.
    pub fn error(title: impl Into<String>, problems: Vec<Problem>) -> Self {
        Self { title: title.into(), problems, bad: true }
    }
}

/// The run on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// Its number.
    pub job: u32,
    /// What runs.
    pub scenario: Rc<Scenario>,
    /// What is done of each variant, in thousandths.
    pub permille: Vec<u32>,
    /// The reports that are there.
    pub reports: Vec<Option<VariantReport>>,
    /// What the document says that has no effect.
    pub notices: Vec<Problem>,
    /// The longest time a variant took, milliseconds.
    pub took_ms: f64,
}

/// An import on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Importing {
    /// The file's name.
    pub name: String,
    /// What is being done.
    pub stage: Stage,
    /// Bytes read.
    pub read: u64,
    /// Bytes in all.
    pub size: u64,
    /// Events used so far.
    pub events: u64,
}

/// The results of a run. No two runs have the same number, so that is all that is compared.
#[derive(Clone, Debug)]
pub struct Results {
    /// The run's number.
    pub job: u32,
    /// What was run.
    pub scenario: Rc<Scenario>,
    /// A report for each variant.
    pub reports: Vec<VariantReport>,
    /// Their comparison.
    pub comparison: Comparison,
    /// What the document says that has no effect.
    pub notices: Vec<Problem>,
    /// The longest time a variant took, milliseconds.
    pub took_ms: f64,
}

impl PartialEq for Results {
    fn eq(&self, other: &Self) -> bool {
        self.job == other.job
    }
}

/// A switch that is to be selected once there are results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The last one up to an instant.
    At(Instant),
    /// The first one that is what is sought.
    Sought {
        /// In which variant.
        variant: usize,
        /// What is sought.
        sought: Seek,
    },
}

impl Wanted {
    /// In which variant.
    #[must_use]
    pub const fn variant(&self) -> usize {
        match self {
            Self::At(instant) => instant.variant,
            Self::Sought { variant, .. } => *variant,
        }
    }
}

/// The list of switches, as far as it is at hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct List {
    /// Which variant.
    pub variant: usize,
    /// Which switches count.
    pub filter: Filter,
    /// How many count; none: not known yet.
    pub total: Option<usize>,
    /// Whether later switches are missing.
    pub cut: bool,
    /// The place of the first one at hand.
    pub from: usize,
    /// Those at hand.
    pub switches: Vec<Switch>,
    /// The place of the selected one.
    pub place: Option<usize>,
    /// The selected one, once it is at hand.
    pub selected: Option<Switch>,
    /// The switch that is to be selected, as a link asked for it.
    pub wanted: Option<Wanted>,
}

impl List {
    /// The switch at a place, if it is at hand.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<&Switch> {
        self.switches.get(place.checked_sub(self.from)?)
    }
}

/// What the page knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Lab {
    /// The scenario that every view shows.
    pub scenario: Rc<Scenario>,
    past: Vec<Rc<Scenario>>,
    future: Vec<Rc<Scenario>>,
    /// The field that was changed last, while changes of it are one step.
    streak: Option<String>,
    /// Whether the scenario is the user's own by now, so that it is kept as the draft.
    pub touched: bool,
    /// The document's text while it differs from the scenario.
    pub text: Option<String>,
    /// What is wrong with the scenario as it is.
    pub problems: Vec<Problem>,
    /// What the page has to tell of files, links and the like.
    pub message: Option<Message>,
    /// Why the last run failed.
    pub failure: Option<Message>,
    /// What was done, for those who do not see it; changes are read out.
    pub said: String,
    /// The run on its way.
    pub running: Option<Running>,
    /// The last results.
    pub results: Option<Rc<Results>>,
    /// The list of switches.
    pub list: List,
    /// What was explained last.
    pub explained: Option<Rc<Explained>>,
    /// What CPUs ran, as it was told last of each variant.
    pub timelines: Rc<BTreeMap<usize, Rc<Timeline>>>,
    /// The CPU that is looked at.
    pub cpu: Option<u16>,
    /// The import on its way.
    pub importing: Option<Importing>,
    /// What came of the last import.
    pub imported: Option<Rc<Imported>>,
    jobs: u32,
}

/// A change of what the page knows.
pub enum Action {
    /// Change a field of the scenario.
    Edit(Edit),
    /// Put another scenario in its place, such as an opened file.
    Replace {
        /// The scenario.
        scenario: Box<Scenario>,
        /// What to tell of it.
        message: Option<Message>,
        /// Whether it is the user's own: an applied text is, an opened link is not.
        own: bool,
    },
    /// One step back.
    Undo,
    /// One step forward.
    Redo,
    /// The text is being edited; none: it is that of the scenario again.
    Text(Option<String>),
    /// The scenario was checked.
    Checked(Vec<Problem>),
    /// Tell something.
    Tell(Message),
    /// Say something to those who do not see it.
    Say(String),
    /// The message was read.
    Dismiss,
    /// A run begins.
    Begin,
    /// The run was given up.
    Stopped {
        /// Its number.
        job: u32,
    },
    /// The workers are broken.
    Broken(String),
    /// A worker said something.
    Heard(FromWorker),
    /// Show the switches of another variant or another kind.
    Show {
        /// Which variant.
        variant: usize,
        /// Which switches count.
        filter: Filter,
    },
    /// Select a switch by its place.
    Select(usize),
    /// The import was given up.
    StopImport,
    /// The report of the import was read.
    CloseImport,
    /// Look at a CPU, or at none.
    Look(Option<u16>),
    /// Select a switch, now or after the next run.
    Want(Wanted),
}

impl Lab {
    /// The page as it begins.
    #[must_use]
    pub fn new(scenario: Scenario, text: Option<String>, message: Option<Message>, touched: bool) -> Self {
        Self {
            scenario: Rc::new(scenario),
            past: Vec::new(),
            future: Vec::new(),
            streak: None,
            touched,
            text,
            problems: Vec::new(),
            message,
            failure: None,
            said: String::new(),
            running: None,
            results: None,
            list: List::default(),
            explained: None,
            timelines: Rc::default(),
            cpu: None,
            importing: None,
            imported: None,
            jobs: 0,
        }
    }

    /// The same with an earlier scenario that [`Action::Undo`] goes back to.
    #[must_use]
    pub fn after(mut self, earlier: Option<Scenario>) -> Self {
        self.past.extend(earlier.map(Rc::new));
        self
    }

    /// Whether there is a step back.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is a step forward.
    #[must_use]
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// The number that the next run gets.
    #[must_use]
    pub fn next_job(&self) -> u32 {
        self.jobs + 1
    }

    /// What is done of the run on its way, 0 to 1.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        let permille = &self.running.as_ref()?.permille;
        Some(f64::from(permille.iter().sum::<u32>()) / 1000.0 / permille.len().max(1) as f64)
    }

    fn remember(&mut self) {
        self.past.push(Rc::clone(&self.scenario));
        if self.past.len() > MOST_STEPS {
            self.past.remove(0);
        }
        self.future.clear();
    }

    fn edit(&mut self, edit: Edit) {
        let mut scenario = (*self.scenario).clone();
        (edit.change)(&mut scenario);
        if scenario == *self.scenario {
            return;
        }
        if self.streak.as_deref() != Some(&edit.field) {
            self.remember();
        }
        self.streak = Some(edit.field);
        self.list.wanted = None;
        self.scenario = Rc::new(scenario);
        self.touched = true;
    }

    fn replace(&mut self, scenario: Scenario, message: Option<Message>, own: bool) {
        if scenario != *self.scenario {
            self.remember();
            self.scenario = Rc::new(scenario);
        }
        self.touched = own;
        self.streak = None;
        self.text = None;
        self.list.wanted = None;
        if let Some(message) = &message {
            self.said.clone_from(&message.title);
        }
        self.message = message;
    }

    fn step(&mut self, back: bool) {
        let (from, to) = if back { (&mut self.past, &mut self.future) } else { (&mut self.future, &mut self.past) };
        if let Some(scenario) = from.pop() {
            to.push(std::mem::replace(&mut self.scenario, scenario));
            self.streak = None;
            self.touched = true;
            self.said = if back { "Undone." } else { "Redone." }.to_owned();
        }
    }

    fn begin(&mut self) {
        self.jobs += 1;
        let variants = self.scenario.variant_count();
        self.streak = None;
        self.said = "Running.".to_owned();
        self.running = Some(Running {
            job: self.jobs,
            scenario: Rc::clone(&self.scenario),
            permille: vec![0; variants],
            reports: vec![None; variants],
            notices: Vec::new(),
            took_ms: 0.0,
        });
    }
}

impl Reducible for Lab {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut lab = (*self).clone();
        match action {
            Action::Edit(edit) => lab.edit(edit),
            Action::Replace { scenario, message, own } => lab.replace(*scenario, message, own),
            Action::Undo => lab.step(true),
            Action::Redo => lab.step(false),
            Action::Text(text) => lab.text = text,
            Action::Checked(problems) => lab.problems = problems,
            Action::Tell(message) => {
                lab.said.clone_from(&message.title);
                lab.message = Some(message);
            }
            Action::Say(text) => lab.said = text,
            Action::Dismiss => {
                lab.message = None;
                lab.failure = None;
            }
            Action::Begin => lab.begin(),
            Action::Stopped { job } => {
                if lab.run_of(job).is_some() {
                    lab.running = None;
                    lab.said = "Stopped.".to_owned();
                }
            }
            Action::Broken(reason) => {
                lab.running = None;
                lab.failure = Some(Message::error(reason, Vec::new()));
            }
            Action::Heard(message) => lab.heard(message),
            Action::Show { variant, filter } => lab.list = List { variant, filter, ..List::default() },
            Action::Select(place) => lab.select(place),
            Action::StopImport => {
                if lab.importing.take().is_some() {
                    lab.said = "The import is stopped.".to_owned();
                }
            }
            Action::CloseImport => lab.imported = None,
            Action::Look(cpu) => lab.cpu = cpu,
            Action::Want(wanted) => lab.want(wanted),
        }
        Rc::new(lab)
    }
}

#[cfg(test)]
mod tests;
