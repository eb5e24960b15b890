//! What the model was compared with: `docs/fidelity.md`, built into the page, as a dialog.
//! Not for Markdown in general: headings, paragraphs, lists and tables are all that is read.

use yew::prelude::*;

use crate::gallery::use_modal;

/// The document, as it was when the page was built; empty where there is none.
const FIDELITY: &str = include_str!(concat!(env!("OUT_DIR"), "/fidelity.md"));

/// A piece of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Block {
    Heading(String),
    Paragraph(String),
    List(Vec<String>),
    /// The heads, then the rows.
    Table(Vec<String>, Vec<Vec<String>>),
    Code(String),
}

/// Reads a document into blocks.
fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    // Whether the last block goes on with the next line.
    let mut open = false;
    let mut code: Option<String> = None;
    for line in text.lines() {
        if let Some(mut inside) = code.take() {
            if line.starts_with("```") {
                found.push(columns(&inside).unwrap_or(Block::Code(inside)));
                open = false;
            } else {
                inside.push_str(line);
                inside.push('\n');
                code = Some(inside);
            }
            continue;
        }
        let line = line.trim();
        if line.starts_with("```") {
            code = Some(String::new());
        } else if line.is_empty() {
            open = false;
        } else if line.starts_with('#') {
            found.push(Block::Heading(line.trim_start_matches('#').trim().to_owned()));
            open = false;
        } else if let Some(row) = line.strip_prefix('|') {
            let cells: Vec<String> = row.trim_end_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
            let rule = cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':' | ' ')));
            match found.last_mut() {
                Some(Block::Table(..)) if open && rule => {}
                Some(Block::Table(_, rows)) if open => rows.push(cells),
                _ => found.push(Block::Table(cells, Vec::new())),
            }
            open = true;
        } else if let Some(item) = line.strip_prefix("* ").or_else(|| line.strip_prefix("- ")) {
            match found.last_mut() {
                Some(Block::List(items)) if open => items.push(item.to_owned()),
                _ => found.push(Block::List(vec![item.to_owned()])),
            }
            open = true;
        } else {
            match found.last_mut() {
                Some(Block::Paragraph(text)) if open => {
                    text.push(' ');
                    text.push_str(line);
                }
                Some(Block::List(items)) if open => {
                    if let Some(last) = items.last_mut() {
                        last.push(' ');
                        last.push_str(line);
                    }
                }
                _ => found.push(Block::Paragraph(line.to_owned())),
            }
            open = true;
        }
    }
    found
}

/// A table whose columns are two blanks or more apart, as the command prints them.
fn columns(text: &str) -> Option<Block> {
    let cells = |line: &str| {
        let cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        cells.map(str::to_owned).collect::<Vec<String>>()
    };
    let mut rows = text.lines().map(cells);
    let heads = rows.next().filter(|heads| heads.len() >= 5)?;
    Some(Block::Table(heads, rows.collect()))
}

/// Text with what stands between backticks set as code.
fn inline(text: &str) -> Html {
    let text = text.replace("**", "");
    let parts = text.split('`').enumerate().map(|(place, part)| {
        let part = part.to_owned();
        if place % 2 == 1 {
            html! { <code>{ part }</code> }
        } else {
            html! { { part } }
        }
    });
    html! { { for parts } }
}

fn shown(block: &Block) -> Html {
    match block {
        Block::Heading(text) => html! { <h3>{ inline(text) }</h3> },
        Block::Paragraph(text) => html! { <p>{ inline(text) }</p> },
        Block::Code(text) => html! { <pre>{ text }</pre> },
        Block::List(items) => html! { <ul>{ for items.iter().map(|item| html! { <li>{ inline(item) }</li> }) }</ul> },
        Block::Table(heads, rows) => {
            // Few columns hold words, many hold numbers.
            let words = heads.len() < 5;
            let class = if words { "words" } else { "num" };
            let row = |cells: &Vec<String>| {
                let rest = cells.iter().skip(1).map(|cell| html! { <td {class}>{ inline(cell) }</td> });
                html! { <tr><th scope="row">{ inline(cells.first().map_or("", String::as_str)) }</th>{ for rest }</tr> }
            };
            html! {
                <table class={words.then_some("ofWords")}>
                    <thead><tr>{ for heads.iter().map(|head| html! { <th scope="col">{ inline(head) }</th> }) }</tr></thead>
                    <tbody>{ for rows.iter().map(row) }</tbody>
                </table>
            }
        }
    }
}

/// Where the dialog goes.
#[derive(Properties, PartialEq)]
pub struct AboutProps {
    /// The dialog is wanted no more.
    pub on_close: Callback<()>,
}

/// What the model was compared with.
#[component]
pub fn About(props: &AboutProps) -> Html {
    let dialog = use_modal(props.on_close.clone());
    let blocks = use_memo((), |()| blocks(FIDELITY));
    let (on_close, close) = (props.on_close.clone(), props.on_close.clone());
    html! {
        <dialog ref={dialog} class="about" aria-labelledby="about-title" onclose={move |_: Event| close.emit(())}>
            <div class="head"><h2 id="about-title">{ "How true is it?" }</h2><span class="grow" />
                <button type="button" class="small" onclick={move |_| on_close.emit(())}>{ "Close" }</button></div>
            <div class="scroll" tabindex="0" role="group" aria-label="The model beside real kernels">
                if blocks.is_empty() {
                    <p>{ "On one CPU the decisions were compared with kernel code switch by switch; the inspector says of each release what was compared. Whole workloads on several CPUs are compared by " }<code>{ "schedlab conformance --kernel-runs" }</code>{ "." }</p>
                }
                { for blocks.iter().map(shown) }
                if !blocks.is_empty() {
                    <p>{ "The table lists the figures outside only. " }<a class="section" href="docs/fidelity.md" target="_blank">{ "All figures, as text" }</a></p>
                }
            </div>
        </dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_paragraphs_lists_and_tables_are_read() {
        let text =
            "# Title\n\nOne\ntwo.\n\n* a\n  b\n* c\n\n| x | y |\n|---|--:|\n| 1 | 2 |\n| 3 | - |\n\n```\ncode\n```\n";
        let of = |text: &str| text.to_owned();
        assert_eq!(
            blocks(text),
            [
                Block::Heading(of("Title")),
                Block::Paragraph(of("One two.")),
                Block::List(vec![of("a b"), of("c")]),
                Block::Table(vec![of("x"), of("y")], vec![vec![of("1"), of("2")], vec![of("3"), of("-")]]),
                Block::Code(of("code\n")),
            ]
        );
    }

    #[test]
    fn the_printed_table_becomes_one() {
        let text = "scenario  kernel  figure    unit     real\nP2        6.12    share t0  %     2500.00\n";
        let Some(Block::Table(heads, rows)) = columns(text) else { panic!("no table") };
        assert_eq!((heads.len(), rows[0][2].as_str(), rows[0].len()), (5, "share t0", 5));
        assert_eq!(columns("one\ntwo\n"), None);
    }
}
