//! What the workers' messages, and selections that wait for them, do to what the page knows.
//! Not for edits of the scenario.

use std::rc::Rc;

use schedlab_report::{VariantReport, compare};
use schedlab_scenario::Problem;

use super::{Importing, Lab, List, Message, Results, Running, Wanted};
use crate::protocol::{Filter, FromWorker};

impl Lab {
    pub(super) fn heard(&mut self, message: FromWorker) {
        match message {
            FromWorker::Progress { job, variant, permille } => {
                if let Some(slot) = self.run_of(job).and_then(|running| running.permille.get_mut(variant)) {
                    *slot = permille;
                }
            }
            FromWorker::Done { job, variant, report, notices, took_ms } => {
                let Some(running) = self.run_of(job) else { return };
                running
                    .notices
                    .extend(notices.into_iter().filter(|notice| !running.notices.contains(notice)).collect::<Vec<_>>());
                running.took_ms = running.took_ms.max(took_ms);
                if let (Some(slot), Some(part)) = (running.reports.get_mut(variant), running.permille.get_mut(variant))
                {
                    *slot = Some(*report);
                    *part = 1000;
                }
                if running.reports.iter().all(Option::is_some) {
                    self.finish();
                }
            }
            FromWorker::Failed { job, problems, .. } => {
                if self.run_of(job).is_some() {
                    self.running = None;
                    self.said = "The run failed.".to_owned();
                    self.failure = Some(Message::error("This scenario cannot run.", problems));
                }
            }
            FromWorker::Switches { job, variant, filter, total, cut, from, switches } => {
                let current = self.results.as_ref().is_some_and(|results| results.job == job);
                let list = &mut self.list;
                if !current || (variant, filter) != (list.variant, list.filter) {
                    return;
                }
                (list.total, list.cut, list.from, list.switches) = (Some(total), cut, from, switches);
                self.look_up();
            }
            FromWorker::Found { variant, filter, place } => {
                if (variant, filter) == (self.list.variant, self.list.filter) {
                    self.list.wanted = None;
                    match place {
                        Some(place) => self.select(place),
                        // Where nobody is preempted the first switch has to do.
                        None if self.list.place.is_none() => self.select(0),
                        None => self.said = "There is no further preemption.".to_owned(),
                    }
                }
            }
            FromWorker::Timeline(timeline) => {
                if self.results.as_ref().is_some_and(|results| results.job == timeline.job) {
                    Rc::make_mut(&mut self.timelines).insert(timeline.variant, Rc::from(timeline));
                }
            }
            FromWorker::Explained(explained) => {
                if self.results.as_ref().is_some_and(|results| results.job == explained.job) {
                    self.explained = Some(Rc::from(explained));
                }
            }
            FromWorker::Importing { name, stage, read, size, events } => {
                self.importing = Some(Importing { name, stage, read, size, events });
            }
            FromWorker::Imported(imported) => {
                self.importing = None;
                match schedlab_scenario::open(&imported.document) {
                    Ok(opened) => {
                        let message = Message::note(
                            format!("Imported {}. Press Run to see the replay.", imported.name),
                            opened.notices,
                        );
                        self.replace(opened.scenario, Some(message), true);
                        self.imported = Some(Rc::from(imported));
                    }
                    Err(problems) => self.refuse_import(&imported.name, problems),
                }
            }
            FromWorker::NotImported { name, message } => {
                self.importing = None;
                self.refuse_import(&name, vec![Problem::error("", message)]);
            }
            // Sweeps, experiments and bisections have pools and states of their own.
            FromWorker::Measured { .. }
            | FromWorker::Planned { .. }
            | FromWorker::Checked { .. }
            | FromWorker::Part { .. }
            | FromWorker::Observed { .. }
            | FromWorker::Concluded { .. }
            | FromWorker::Bisecting { .. }
            | FromWorker::Bisected { .. } => {}
            // The pool deals with these.
            FromWorker::Stopped { .. } | FromWorker::Panicked { .. } => {}
        }
    }

    fn refuse_import(&mut self, name: &str, problems: Vec<Problem>) {
        let title = format!("{name} cannot be imported. What you had is untouched.");
        self.said.clone_from(&title);
        self.message = Some(Message::error(title, problems));
    }

    pub(super) fn run_of(&mut self, job: u32) -> Option<&mut Running> {
        self.running.as_mut().filter(|running| running.job == job)
    }

    fn finish(&mut self) {
        let Some(running) = self.running.take() else { return };
        let reports: Vec<VariantReport> = running.reports.into_iter().flatten().collect();
        self.said = format!("Done: {} in {:.0} ms.", crate::words::variants(reports.len()), running.took_ms);
        let wanted = self.list.wanted.take();
        let variant = wanted.as_ref().map_or(self.list.variant, Wanted::variant).min(reports.len().saturating_sub(1));
        let filter = if wanted.is_some() { Filter::All } else { self.list.filter };
        self.list = List { variant, filter, wanted, ..List::default() };
        self.explained = None;
        self.timelines = Rc::default();
        self.failure = None;
        self.results = Some(Rc::new(Results {
            job: running.job,
            scenario: running.scenario,
            comparison: compare(&reports),
            reports,
            notices: running.notices,
            took_ms: running.took_ms,
        }));
    }

    pub(super) fn want(&mut self, wanted: Wanted) {
        self.list.wanted = Some(wanted.clone());
        let variant = wanted.variant();
        let there = |results: &Rc<Results>| {
            results.scenario == self.scenario && variant < results.reports.len() && self.running.is_none()
        };
        if self.results.as_ref().is_some_and(there) {
            self.list = List { variant, wanted: Some(wanted), ..List::default() };
        }
    }

    pub(super) fn select(&mut self, place: usize) {
        self.list.place = Some(place);
        self.look_up();
    }

    /// Finds the selected switch among those at hand; otherwise it stays what it was until the
    /// worker has answered.
    fn look_up(&mut self) {
        if let Some(switch) = self.list.place.and_then(|place| self.list.at(place)) {
            self.list.selected = Some(switch.clone());
        }
    }
}
