//! `schedlab workload`: the library's workloads as scenario documents.
//! Not for the workloads: `schedlab-scenario` has them.

use schedlab_scenario::library::{self, Recipe};

use crate::args::{WorkloadArgs, WorkloadCommand};
use crate::error::CommandError;
use crate::output::Output;

/// `schedlab workload`.
///
/// # Errors
/// When there is no such workload, a parameter is wrong, or the output cannot be written.
pub fn workload(args: &WorkloadArgs) -> Result<(), CommandError> {
    match &args.command {
        Some(WorkloadCommand::List { output }) => {
            let lines = library::workloads().iter().map(|recipe| (recipe.name, recipe.title));
            Output::open(output)?.finish(super::named_lines(lines).as_bytes())
        }
        Some(WorkloadCommand::Show { name, output }) => Output::open(output)?.finish(shown(&find(name)?).as_bytes()),
        None => {
            let recipe = find(args.name.as_deref().unwrap_or_default())?;
            let given: Vec<_> =
                args.parameters.iter().map(|given| (given.path.as_str(), given.value.as_str())).collect();
            let wrong = |problem| CommandError::Document { file: recipe.name.to_owned(), problems: vec![problem] };
            let scenario = recipe.scenario(&given).map_err(wrong)?;
            Output::open(&args.output)?.finish(format!("{}\n", scenario.to_json().trim_end()).as_bytes())
        }
    }
}

fn find(name: &str) -> Result<Recipe, CommandError> {
    library::workload(name).ok_or_else(|| {
        let known: Vec<_> = library::workloads().iter().map(|recipe| recipe.name).collect();
        CommandError::NotInLibrary { what: "workload", name: name.to_owned(), known: known.join(", ") }
    })
}

fn shown(recipe: &Recipe) -> String {
    let mut text = format!("{}\n\n{}\n\nParameters:\n", recipe.title, recipe.text);
    for parameter in recipe.parameters() {
        text.push_str(&format!(
            "  {}={}\n      {}: {}\n",
            parameter.name,
            parameter.default,
            parameter.text,
            parameter.range()
        ));
    }
    text
}
