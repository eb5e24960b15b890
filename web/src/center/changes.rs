//! What changed: the comparison of the variants with the first, the largest changes on top.
//! Not for computing it: `schedlab_report::compare` does.

use std::rc::Rc;

use schedlab_report::{Change, Row, text};
use schedlab_view::palette;
use yew::prelude::*;

use super::carries::Carries;
use crate::clipboard;
use crate::parts::VariantMark;
use crate::state::{Action, Message, Results};
use crate::words;

/// How many rows are shown at first.
const FIRST: usize = 8;

/// What is compared.
#[derive(Properties, PartialEq)]
pub struct ChangesProps {
    /// The results.
    pub results: Rc<Results>,
    /// Changes what the page knows.
    pub dispatch: Callback<Action>,
}

/// What changed.
#[component]
pub fn Changes(props: &ChangesProps) -> Html {
    let all = use_state(|| false);
    let comparison = &props.results.comparison;
    let names = &comparison.variants;
    if names.len() < 2 {
        return html! {
            <section class="card" aria-label="What changed">
                <div class="head"><h2>{ "What changed" }</h2></div>
                <p class="mute">{ "There is one variant, so there is nothing to compare. Add another under Variants." }</p>
            </section>
        };
    }
    let headlines: Vec<&Row> = comparison
        .rows
        .iter()
        .filter(|row| is_headline(row) && !is_repetition(row, &comparison.rows))
        .take(FIRST)
        .collect();
    let shown: Vec<&Row> = if *all { comparison.rows.iter().collect() } else { headlines };
    let total = comparison.rows.len();
    let toggle = {
        let all = all.clone();
        Callback::from(move |_: MouseEvent| all.set(!*all))
    };
    let about = about(&props.results);
    let values = names.iter().enumerate().map(|(index, name)| {
        html! { <th scope="col"><VariantMark {index} name={name.clone()} /></th> }
    });
    let changes = (1..names.len()).map(|index| {
        let letter = palette::variant_letter(index);
        let head = if names.len() == 2 { "Change".to_owned() } else { format!("{letter} against A") };
        html! { <><th class="bar" scope="col"><span class="hidden">{ "drawn" }</span></th><th scope="col">{ head }</th></> }
    });
    html! {
        <section class="card" aria-label="What changed">
            <div class="head wrap">
                <h2>{ "What changed" }</h2><small>{ about }</small><span class="grow" />
                <button type="button" class="link" onclick={copy(props)}>{ "Copy as Markdown" }</button>
            </div>
            <div class="scroll" tabindex="0" role="group" aria-label="What changed, as a table">
                <table class="diff">
                    <thead><tr><th scope="col">{ "Measure" }</th>{ for values }{ for changes }</tr></thead>
                    <tbody>{ for shown.into_iter().map(row) }</tbody>
                </table>
            </div>
            if total > FIRST || *all {
                <button type="button" class="link more" aria-expanded={all.to_string()} onclick={toggle}>
                    { if *all { "Only the main measures".to_owned() } else { format!("All {total} measures") } }
                </button>
            }
            <Carries results={Rc::clone(&props.results)} />
        </section>
    }
}

/// Copies all measures as a table for a mailing list.
fn copy(props: &ChangesProps) -> Callback<MouseEvent> {
    let (results, dispatch) = (Rc::clone(&props.results), props.dispatch.clone());
    Callback::from(move |_: MouseEvent| {
        let dispatch = dispatch.clone();
        clipboard::copy(text::comparison_markdown(&results.comparison), move |copied| {
            let said = if copied {
                "The comparison is copied as a Markdown table."
            } else {
                "The browser did not let the page copy."
            };
            dispatch.emit(Action::Tell(Message::note(said, Vec::new())));
        });
    })
}

fn about(results: &Results) -> String {
    let repeats = results.reports.iter().map(|report| report.repeats).max().unwrap_or(1);
    let against = if results.reports.len() == 2 { "B against A" } else { "each against A" };
    if repeats > 1 {
        format!("{against} · {repeats} runs each · ± standard error · ≈ and grey: inside the noise")
    } else {
        format!("{against} · one run each")
    }
}

/// Whether a row is worth a place among the first: what people ask for, and really different.
fn is_headline(row: &Row) -> bool {
    let main = [
        "sched_count",
        "preempted",
        "wake_delay.mean",
        "wake_delay.p99",
        "run_delay.mean",
        "run_delay.p99",
        "run_delay.max",
        "per_second",
        "latency.p99",
        "missed_deadlines",
        "runtime_ns",
    ];
    let comparable = row.values.iter().all(Option::is_some) && row.values.first() != Some(&Some(0.0));
    main.contains(&row.measure.as_str()) && comparable
}

/// Whether a row of run delays only says again what the task's wake delays say: it never waited
/// after a preemption.
fn is_repetition(row: &Row, rows: &[Row]) -> bool {
    let Some(figure) = row.measure.strip_prefix("run_delay.") else { return false };
    rows.iter().any(|other| {
        other.group == row.group
            && other.values == row.values
            && other.measure.strip_prefix("wake_delay.") == Some(figure)
    })
}

fn row(row: &Row) -> Html {
    let values = row.values.iter().enumerate().map(|(variant, value)| {
        let sem = row.sem.get(variant).copied().flatten().filter(|sem| *sem > 0.0);
        html! {
            <td class="num">
                { words::value(row.unit, *value) }
                if let Some(sem) = sem { <span class="sem">{ " ±" }{ words::value(row.unit, Some(sem)) }</span> }
            </td>
        }
    });
    let changes = row.changes.iter().skip(1).map(|change| match change {
        Some(change) => {
            let class = verdict(row, change);
            html! {
                <>
                    <td class="bar">{ bar(change, class) }</td>
                    <td class={classes!("num", class)}>
                        if change.noise == Some(true) { <span aria-hidden="true">{ "≈ " }</span><span class="hidden">{ "inside the noise: " }</span> }
                        { words::change(row.unit, change) }
                    </td>
                </>
            }
        }
        None => html! { <><td class="bar" /><td class="num plain">{ "–" }</td></> },
    });
    html! { <tr><th scope="row">{ words::measure(row) }</th>{ for values }{ for changes }</tr> }
}

/// Worse, better, or neither: the class that colours a change.
fn verdict(row: &Row, change: &Change) -> &'static str {
    let small = change.percent.map_or(change.absolute.abs() < 0.05, |percent| percent.abs() < 0.05);
    if small || change.noise == Some(true) {
        return "plain";
    }
    match words::more_is_worse(row) {
        Some(worse) if worse == (change.absolute > 0.0) => "up",
        Some(_) => "down",
        None => "mute",
    }
}

/// A bar from the middle: to the left for less, to the right for more; full at a doubling and at nothing left.
fn bar(change: &Change, class: &str) -> Html {
    let part = (change.percent.unwrap_or(change.absolute) / 100.0).clamp(-1.0, 1.0);
    let (start, width) = if part < 0.0 { (60.0 + part * 58.0, -part * 58.0) } else { (60.0, part * 58.0) };
    let fill = match class {
        "up" => "var(--bad)",
        "down" => "var(--good)",
        _ => "var(--faint)",
    };
    html! {
        <svg viewBox="0 0 120 12" preserveAspectRatio="none" aria-hidden="true">
            <path d="M60 0v12" stroke="var(--axis)" vector-effect="non-scaling-stroke" />
            <rect x={start.to_string()} y="2.5" width={width.to_string()} height="7" {fill} />
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use schedlab_report::{Group, Unit};

    use super::*;

    fn delay(percent: f64, noise: Option<bool>) -> (Row, Change) {
        let row = Row {
            group: Group::Task("a".to_owned()),
            measure: "wake_delay.p99".to_owned(),
            unit: Unit::Ns,
            values: vec![Some(1.0), Some(2.0)],
            sem: Vec::new(),
            changes: Vec::new(),
        };
        (row, Change { absolute: percent, percent: Some(percent), noise })
    }

    #[test]
    fn longer_delays_are_worse_unless_in_the_noise() {
        let judged = |percent, noise| {
            let (row, change) = delay(percent, noise);
            verdict(&row, &change)
        };
        assert_eq!(judged(20.0, None), "up");
        assert_eq!(judged(-20.0, Some(false)), "down");
        assert_eq!(judged(20.0, Some(true)), "plain");
        assert_eq!(judged(0.01, None), "plain");
    }

    #[test]
    fn a_run_delay_that_is_the_wake_delay_is_not_told_twice() {
        let (wake, _) = delay(1.0, None);
        let run = Row { measure: "run_delay.p99".to_owned(), ..wake.clone() };
        let other = Row { values: vec![Some(1.0), Some(3.0)], ..run.clone() };
        let rows = [wake.clone(), run.clone(), other.clone()];
        assert!(is_repetition(&run, &rows) && !is_repetition(&other, &rows) && !is_repetition(&wake, &rows));
    }

    #[test]
    fn headlines_can_be_compared() {
        let (mut row, _) = delay(1.0, None);
        assert!(is_headline(&row));
        row.values = vec![Some(0.0), Some(2.0)];
        assert!(!is_headline(&row));
        row.values = vec![None, Some(2.0)];
        assert!(!is_headline(&row));
    }
}
