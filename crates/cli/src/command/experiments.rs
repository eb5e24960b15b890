//! `schedlab experiments`: what people reported beside what the model gives.
//! Not for the experiments or their arithmetic: `schedlab-scenario` and `schedlab-report` have them.

use std::collections::BTreeMap;
use std::sync::Mutex;

use rayon::prelude::*;
use schedlab_report::{ExperimentReport, Expressions, Figures, Subject, first_switch, summarize, text};
use schedlab_scenario::library::{self, Content, Experiment};
use schedlab_scenario::{NamedVariant, Problem};
use schedlab_sim::TaskId;

use crate::args::{ExperimentFormat, ExperimentsArgs, ExperimentsCommand};
use crate::error::CommandError;
use crate::execute;
use crate::notice::{self, Notices};
use crate::output::Output;

/// `schedlab experiments`.
///
/// # Errors
/// When there is no such experiment, a run fails, the output cannot be written, or a line that must
/// come out does not.
pub fn experiments(args: &ExperimentsArgs) -> Result<(), CommandError> {
    match &args.command {
        ExperimentsCommand::List { output } => {
            let lines = library::experiments().iter().map(|experiment| (experiment.name, experiment.title));
            Output::open(output)?.finish(super::named_lines(lines).as_bytes())
        }
        ExperimentsCommand::Show { name, part, output } => {
            let experiment = find(name)?;
            let content = content(&experiment)?;
            let text = match part {
                None => shown(&experiment, &content),
                Some(wanted) => part_document(&experiment, &content, wanted)?,
            };
            Output::open(output)?.finish(text.as_bytes())
        }
        ExperimentsCommand::Why { name, output } => {
            let experiment = find(name)?;
            let output = Output::open(output)?;
            output.finish(why(&experiment)?.as_bytes())
        }
        ExperimentsCommand::Run { name, format, output } => {
            let experiment = find(name)?;
            let output = Output::open(output)?;
            let report = run(&experiment)?;
            let result = match format {
                ExperimentFormat::Table => format!("{}\n\n{}", heading(&experiment), text::experiment_table(&report)),
                ExperimentFormat::Markdown => {
                    format!("{}\n\n{}", heading(&experiment), text::experiment_markdown(&report))
                }
                ExperimentFormat::Json => super::to_json(&report)?,
            };
            output.finish(result.as_bytes())?;
            let failed = report.must.iter().filter(|must| !must.holds).count();
            if failed == 0 { Ok(()) } else { Err(CommandError::DidNotComeOut { failed, of: report.must.len() }) }
        }
    }
}

fn find(name: &str) -> Result<Experiment, CommandError> {
    library::experiment(name).ok_or_else(|| {
        let known: Vec<_> = library::experiments().iter().map(|experiment| experiment.name).collect();
        CommandError::NotInLibrary { what: "experiment", name: name.to_owned(), known: known.join(", ") }
    })
}

fn content(experiment: &Experiment) -> Result<Content, CommandError> {
    experiment.content().map_err(|problems| wrong(experiment.name, problems))
}

fn wrong(name: &str, problems: Vec<Problem>) -> CommandError {
    CommandError::Document { file: name.to_owned(), problems }
}

fn heading(experiment: &Experiment) -> String {
    format!("{}\n{}\n{}", experiment.title, experiment.source(), experiment.setup())
}

fn shown(experiment: &Experiment, content: &Content) -> String {
    let mut text = format!("{}\n\n{}\n\nParts (--part prints the scenario):\n", heading(experiment), experiment.text);
    for part in &content.parts {
        text.push_str(&format!("  {}: {} variants\n", part.name, part.scenario.variant_count()));
    }
    text.push_str("\nMust come out:\n");
    for must in &content.must {
        text.push_str(&format!("  {}\n      {}\n", must.text, must.claim));
    }
    text
}

fn part_document(experiment: &Experiment, content: &Content, wanted: &str) -> Result<String, CommandError> {
    let Some(part) = content.parts.iter().find(|part| part.name == wanted) else {
        let known: Vec<_> = content.parts.iter().map(|part| part.name.as_str()).collect();
        let what = "part in the experiment";
        let name = format!("{}/{wanted}", experiment.name);
        return Err(CommandError::NotInLibrary { what, name, known: known.join(", ") });
    };
    Ok(format!("{}\n", part.scenario.to_json().trim_end()))
}

/// The switches to look at, found and explained, each with the commands that show the same.
fn why(experiment: &Experiment) -> Result<String, CommandError> {
    let content = content(experiment)?;
    let mut notices = Notices::default();
    let mut told = format!("{}\n\n{}\n", heading(experiment), experiment.text);
    for look in &content.looks {
        let wrong = |problem| wrong(experiment.name, vec![problem]);
        let scenario = look.scenario(&content).map_err(wrong)?;
        let last = scenario.variant_count().saturating_sub(1);
        let variant = scenario.variant(last).map_err(|problems| self::wrong(experiment.name, problems))?;
        let run = execute::recorded(experiment.name, &variant, &mut notices)?;
        let name = |task: TaskId| run.tasks.get(task.0 as usize).map(|task| task.name.as_str());
        let Some((cpu, at_ns)) = first_switch(&run.record, &look.sought, name) else {
            return Err(CommandError::Nothing {
                file: experiment.name.to_owned(),
                variant: look.variant.clone(),
                reason: format!("no switch is what was sought: {}", look.text),
            });
        };
        let explanation = execute::explained(experiment.name, &variant, u32::from(cpu), at_ns, &mut notices)?;
        let (part, of) = (&look.part, &look.variant);
        told.push_str(&format!(
            "\n{}\n  schedlab experiments show {} --part '{part}' > part.json\n  schedlab explain part.json --variant \
             '{of}' --cpu {cpu} --at {at_ns}\n\n{}",
            look.text,
            experiment.name,
            text::explanation(&explanation)
        ));
    }
    Ok(told)
}

/// Runs every repeat of every variant of every part, as many at once as there are processors, and
/// keeps the figures that the experiment asks for.
fn run(experiment: &Experiment) -> Result<ExperimentReport, CommandError> {
    let content = content(experiment)?;
    let broken = |source| CommandError::Claim { name: experiment.name.to_owned(), source };
    let expressions = Expressions::of(&content).map_err(broken)?;
    let mut runs: Vec<(String, NamedVariant, u32)> = Vec::new();
    for part in &content.parts {
        for index in 0..part.scenario.variant_count() {
            let variant = part.scenario.variant(index).map_err(|problems| wrong(experiment.name, problems))?;
            let key = format!("{}/{}", part.name, variant.name);
            let repeats = variant.scenario.run.repeats.max(1);
            runs.extend((0..repeats).map(|repeat| (key.clone(), variant.clone(), repeat)));
        }
    }
    let progress = Mutex::new(notice::Progress::of(runs.len()));
    let one = |(key, variant, repeat): &(String, NamedVariant, u32)| {
        let mut prepared = execute::prepare(experiment.name, variant, *repeat)?;
        prepared.input.record_budget = 0;
        let subject = Subject::of(&variant.name, &prepared);
        let run = execute::simulate(key, prepared.input, &progress)?;
        expressions.read(key, &summarize(&subject, std::slice::from_ref(&run))).map_err(broken)
    };
    let done = runs.par_iter().map(one).collect::<Result<Vec<BTreeMap<String, f64>>, CommandError>>()?;
    drop(progress);
    let mut figures = Figures::new();
    for ((key, ..), read) in runs.iter().zip(done) {
        for (name, value) in read {
            figures.entry((key.clone(), name)).or_default().push(value);
        }
    }
    expressions.report(&content, &figures).map_err(broken)
}
