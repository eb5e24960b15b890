//! The variants: which kernels are laid side by side, and how each differs.
//! Not for single flags and tunables.

use std::rc::Rc;

use schedlab_scenario::json::{Kind, Value};
use schedlab_scenario::{Kernel, Scenario, Variant};
use schedlab_sim::kernel::{CoreScheduling, Feature, PreemptionModel, Release, Tunable};
use schedlab_view::palette;
use yew::prelude::*;

use super::flags::Flags;
use crate::parts::{Field, Select, VariantMark, section_link};
use crate::state::Edit;
use crate::words;

/// Of which scenario.
#[derive(Properties, PartialEq)]
pub struct VariantsProps {
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// Changes a field.
    pub on_edit: Callback<Edit>,
}

/// The variants.
#[component]
pub fn Variants(props: &VariantsProps) -> Html {
    let count = props.scenario.variant_count();
    let on_edit = props.on_edit.clone();
    let add = Callback::from(move |_: MouseEvent| {
        on_edit.emit(Edit::new(format!("variants+{count}"), |scenario| {
            if scenario.variants.is_empty() {
                scenario.variants.push(Variant { name: None, patch: Value::object() });
            }
            let latest = Release::MODELLED.last().copied().unwrap_or(Release::V6_12);
            scenario.variants.push(Variant::of_release(latest));
        }));
    });
    html! {
        <>
            <h2 class="hidden">{ "Variants" }</h2>
            { for (0..count).map(|index| card(props, index, count)) }
            <button type="button" class="add" onclick={add}>{ "+ variant" }</button>
        </>
    }
}

/// A variant's name with its class: `6.12 EEVDF`.
pub(super) fn title(scenario: &Scenario, index: usize) -> String {
    match scenario.variant(index) {
        Ok(named) => {
            let release = words::release(named.scenario.kernel.release);
            if named.name == named.scenario.kernel.release.name() {
                release
            } else {
                format!("{} · {release}", named.name)
            }
        }
        Err(_) => format!("variant {}", palette::variant_letter(index)),
    }
}

/// What a variant changes, in short: pairs of what and to what.
pub(super) fn differences(scenario: &Scenario, index: usize) -> Vec<(String, String)> {
    let Some(variant) = scenario.variants.get(index) else { return Vec::new() };
    let mut found = Vec::new();
    let first = scenario.variant(0).map(|named| named.scenario.kernel.release.name());
    for member in variant.patch.members() {
        leaves(&member.key, &member.value, &mut found);
    }
    for (what, value) in &mut found {
        if what == "release"
            && let Ok(first) = first
            && first != value
        {
            *value = format!("{first} → {value}");
        }
    }
    found
}

fn leaves(key: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match &value.kind {
        Kind::Object(members) => members.iter().for_each(|member| leaves(&member.key, &member.value, found)),
        Kind::String(text) => found.push((key.to_owned(), text.clone())),
        Kind::Bool(on) => found.push((key.to_owned(), if *on { "on" } else { "off" }.to_owned())),
        _ => found.push((key.to_owned(), value.to_compact())),
    }
}

/// Where the kernel of a variant stands in the document.
pub(super) fn kernel_path(scenario: &Scenario, index: usize) -> String {
    if scenario.variants.is_empty() { "kernel".to_owned() } else { format!("variants[{index}].kernel") }
}

/// Gives a variant another release. Flags and tunables that it has stay; the others go.
fn put_release(scenario: &mut Scenario, index: usize, release: Release) {
    let path = kernel_path(scenario, index);
    let wrong = if scenario.variants.is_empty() {
        scenario.kernel.features.retain(|feature, _| feature.default_in(release).is_some());
        scenario.kernel.tunables.retain(|tunable, _| tunable.exists_in(release));
        scenario.kernel.preempt = scenario.kernel.preempt.filter(|model| model.exists_in(release));
        if !scenario.kernel.core_sched.exists_in(release) {
            scenario.kernel.core_sched = CoreScheduling::Off;
        }
        scenario.kernel.release = release;
        return;
    } else {
        named_by(scenario, index, "features", |name| {
            Feature::parse(name).is_none_or(|f| f.default_in(release).is_none())
        })
        .into_iter()
        .map(|name| format!("{path}.features.{name}"))
        .chain(
            named_by(scenario, index, "tunables", |name| Tunable::parse(name).is_none_or(|t| !t.exists_in(release)))
                .into_iter()
                .map(|name| format!("{path}.tunables.{name}")),
        )
        .chain(names_other_preemption(scenario, index, release).then(|| format!("{path}.preempt")))
        .chain(names_other_core_scheduler(scenario, index, release).then(|| format!("{path}.core_sched")))
        .collect::<Vec<_>>()
    };
    for path in wrong {
        // The paths come from the document itself.
        let _ = scenario.set(&path, "null");
    }
    let _ = scenario.set(&format!("{path}.release"), &format!("\"{}\"", release.name()));
}

/// Whether a variant names a preemption model that a release lacks.
fn names_other_preemption(scenario: &Scenario, index: usize, release: Release) -> bool {
    let patch = scenario.variants.get(index).map(|variant| &variant.patch);
    let named = patch.and_then(|patch| patch.get("kernel")).and_then(|kernel| kernel.get("preempt"));
    match named.map(|value| &value.kind) {
        Some(Kind::String(name)) => PreemptionModel::parse(name).is_none_or(|model| !model.exists_in(release)),
        _ => false,
    }
}

/// Whether a variant names a core scheduler that a release lacks.
fn names_other_core_scheduler(scenario: &Scenario, index: usize, release: Release) -> bool {
    let patch = scenario.variants.get(index).map(|variant| &variant.patch);
    let named = patch.and_then(|patch| patch.get("kernel")).and_then(|kernel| kernel.get("core_sched"));
    match named.map(|value| &value.kind) {
        Some(Kind::String(name)) => {
            CoreScheduling::ALL.into_iter().any(|kind| kind.name() == name && !kind.exists_in(release))
        }
        _ => false,
    }
}

/// Gives a variant a preemption model. The release's default is left out of the document, unless
/// the scenario itself names another.
fn put_preemption(scenario: &mut Scenario, index: usize, release: Release, model: PreemptionModel) {
    let usual = model == PreemptionModel::default_of(release);
    let inherited = !scenario.variants.is_empty() && scenario.kernel.preempt.is_some();
    let value = if usual && !inherited { "null".to_owned() } else { format!("\"{}\"", model.name()) };
    // The path and the value come from the kernel's own table.
    let _ = scenario.set(&format!("{}.preempt", kernel_path(scenario, index)), &value);
}

/// The core scheduler, and whether hardware threads are in use at all.
fn core_scheduling(props: &VariantsProps, index: usize, kernel: &Kernel) -> Html {
    let (release, kind, nosmt) = (kernel.release, kernel.core_sched, kernel.nosmt);
    let kinds = CoreScheduling::ALL.into_iter().filter(|kind| kind.exists_in(release));
    let kinds = kinds.map(|kind| (kind.name().to_owned(), kind.name().to_owned())).collect::<Vec<_>>();
    let on_edit = props.on_edit.clone();
    let on_kind = Callback::from(move |name: String| {
        on_edit.emit(Edit::new(format!("core_sched{index}"), move |scenario| {
            let inherited = !scenario.variants.is_empty() && scenario.kernel.core_sched != CoreScheduling::Off;
            let usual = name == CoreScheduling::Off.name() && !inherited;
            let value = if usual { "null".to_owned() } else { format!("\"{name}\"") };
            put(scenario, index, "core_sched", &value);
        }));
    });
    let on_edit = props.on_edit.clone();
    let on_nosmt = Callback::from(move |_: Event| {
        on_edit.emit(Edit::new(format!("nosmt{index}"), move |scenario| {
            let inherited = !scenario.variants.is_empty() && scenario.kernel.nosmt;
            let value = match (nosmt, inherited) {
                (true, true) => "false",
                (true, false) => "null",
                (false, _) => "true",
            };
            put(scenario, index, "nosmt", value);
        }));
    });
    html! {
        <>
            <Select label="Core scheduling" value={kind.name()} options={kinds} changed={kind != CoreScheduling::Off} on_change={on_kind} />
            <label class={classes!("check", "beside", nosmt.then_some("changed"))}>
                <input type="checkbox" checked={nosmt} onchange={on_nosmt} />{ "nosmt" }
            </label>
            <p class="mute hint">{ format!("{}. nosmt leaves the first thread of each core on · ", words::core_scheduling(kind)) }
                { section_link("§6") }</p>
        </>
    }
}

/// Sets a key of a variant's kernel to a value that fits.
fn put(scenario: &mut Scenario, index: usize, key: &str, value: &str) {
    let _ = scenario.set(&format!("{}.{key}", kernel_path(scenario, index)), value);
}

/// The keys of a part of a variant's kernel that fit.
fn named_by(scenario: &Scenario, index: usize, part: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let patch = scenario.variants.get(index).map(|variant| &variant.patch);
    let part = patch.and_then(|patch| patch.get("kernel")).and_then(|kernel| kernel.get(part));
    let members = part.map(Value::members).unwrap_or_default();
    members.iter().map(|member| member.key.clone()).filter(|key| fits(key)).collect()
}

fn card(props: &VariantsProps, index: usize, count: usize) -> Html {
    let scenario = &props.scenario;
    let kernel = scenario.variant(index).map_or_else(|_| scenario.kernel.clone(), |named| named.scenario.kernel);
    let (on_edit, letter) = (props.on_edit.clone(), palette::variant_letter(index));
    let on_release = {
        let on_edit = on_edit.clone();
        Callback::from(move |name: String| {
            if let Some(release) = Release::parse(&name) {
                on_edit
                    .emit(Edit::new(format!("release{index}"), move |scenario| put_release(scenario, index, release)));
            }
        })
    };
    let on_name = {
        let on_edit = on_edit.clone();
        Callback::from(move |name: String| {
            let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
            on_edit.emit(Edit::new(format!("variant{index}.name"), move |scenario| {
                if let Some(variant) = scenario.variants.get_mut(index) {
                    variant.name = name;
                }
            }));
            Ok(())
        })
    };
    let remove = {
        let on_edit = on_edit.clone();
        Callback::from(move |_: MouseEvent| {
            on_edit.emit(Edit::new(format!("variant-{index}"), move |scenario| {
                if index < scenario.variants.len() {
                    scenario.variants.remove(index);
                }
            }));
        })
    };
    let release = kernel.release;
    let on_preemption = {
        let on_edit = on_edit.clone();
        Callback::from(move |name: String| {
            if let Some(model) = PreemptionModel::parse(&name) {
                on_edit.emit(Edit::new(format!("preempt{index}"), move |scenario| {
                    put_preemption(scenario, index, release, model);
                }));
            }
        })
    };
    let usual_model = PreemptionModel::default_of(release);
    let model = kernel.preempt.unwrap_or(usual_model);
    let models = PreemptionModel::ALL.into_iter().filter(|model| model.exists_in(release));
    let models = models.map(|model| (model.name().to_owned(), model.name().to_owned())).collect::<Vec<_>>();
    let releases = Release::MODELLED
        .iter()
        .map(|release| (release.name().to_owned(), words::release(*release)))
        .collect::<Vec<_>>();
    let own_name = scenario.variants.get(index).and_then(|variant| variant.name.clone()).unwrap_or_default();
    let others: Vec<(String, String)> = scenario
        .variants
        .get(index)
        .map(|variant| variant.patch.members().iter().filter(|member| member.key != "kernel"))
        .into_iter()
        .flatten()
        .map(|member| (member.key.clone(), member.value.to_compact()))
        .collect();
    html! {
        <div class="task" key={index}>
            <div class="row">
                <VariantMark {index} name={String::new()} /><b>{ title(scenario, index) }</b><span class="grow" />
                if index == 0 { <span class="mute">{ "the base" }</span> }
                <button type="button" class="quiet small" onclick={remove} disabled={count == 1 || scenario.variants.is_empty()}
                    aria-label={format!("Remove variant {letter}")}>{ "Remove" }</button>
            </div>
            <div class="form">
                <div class="fields two">
                    <Select label="Release" value={kernel.release.name()} options={releases} on_change={on_release} />
                    if !scenario.variants.is_empty() {
                        <Field label="Name" number=false value={own_name} placeholder={kernel.release.name()} on_change={on_name} />
                    }
                    <Select label="Preemption" value={model.name()} options={models} changed={model != usual_model}
                        on_change={on_preemption} />
                    <p class="mute hint">{ format!("{}. Default {} · ", words::preemption(model), usual_model.name()) }
                        { section_link("§1.4") }</p>
                    { core_scheduling(props, index, &kernel) }
                </div>
                <p class="mute hint">{ words::checked_line(release) }</p>
                <Flags scenario={Rc::clone(scenario)} {index} {kernel} {on_edit} />
                if !others.is_empty() {
                    <p class="mute">{ "It also changes, as the text shows: " }
                        { for others.iter().map(|(key, value)| html! { <code>{ format!("{key} {value} ") }</code> }) }
                    </p>
                }
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Scenario {
        let variants = vec![Variant::of_release(Release::V6_5), Variant::of_release(Release::V6_12)];
        Scenario { variants, ..Scenario::default() }
    }

    #[test]
    fn a_release_drops_the_flags_that_it_lacks() {
        let mut scenario = two();
        scenario.set("variants[1].kernel.features.PREEMPT_SHORT", "false").expect("a flag of 6.12");
        scenario.set("variants[1].kernel.features.NEXT_BUDDY", "true").expect("a flag of all");
        scenario.set("variants[1].kernel.tunables.base_slice_ns", "1000000").expect("a tunable of EEVDF");
        put_release(&mut scenario, 1, Release::V6_5);
        let kernel = scenario.variant(1).expect("sound").scenario.kernel;
        assert_eq!(kernel.release, Release::V6_5);
        assert_eq!(kernel.features.into_iter().collect::<Vec<_>>(), [(Feature::NextBuddy, true)]);
        assert!(kernel.tunables.is_empty());
    }

    #[test]
    fn a_preemption_model_is_set_taken_back_and_dropped_with_its_release() {
        let mut scenario = two();
        let named = |scenario: &Scenario| scenario.variant(1).expect("sound").scenario.kernel.preempt;
        put_release(&mut scenario, 1, Release::V7_1);
        put_preemption(&mut scenario, 1, Release::V7_1, PreemptionModel::Full);
        assert_eq!(named(&scenario), Some(PreemptionModel::Full));
        put_preemption(&mut scenario, 1, Release::V7_1, PreemptionModel::Lazy);
        assert_eq!(named(&scenario), None, "lazy is the default of 7.1");
        put_release(&mut scenario, 1, Release::V6_13);
        put_preemption(&mut scenario, 1, Release::V6_13, PreemptionModel::Lazy);
        assert_eq!(named(&scenario), Some(PreemptionModel::Lazy));
        put_release(&mut scenario, 1, Release::V6_12);
        assert_eq!(named(&scenario), None, "6.12 has no lazy preemption");
    }

    #[test]
    fn a_core_scheduler_goes_with_a_release_that_lacks_it() {
        let mut scenario = two();
        put(&mut scenario, 0, "core_sched", "\"rfc-v4\"");
        put(&mut scenario, 0, "nosmt", "true");
        let named = |scenario: &Scenario| scenario.variant(0).expect("sound").scenario.kernel;
        assert_eq!(named(&scenario).core_sched, CoreScheduling::RfcV4);
        put_release(&mut scenario, 0, Release::V6_1);
        assert_eq!(named(&scenario).core_sched, CoreScheduling::RfcV4, "6.1 is CFS too");
        put_release(&mut scenario, 0, Release::V6_12);
        assert_eq!((named(&scenario).core_sched, named(&scenario).nosmt), (CoreScheduling::Off, true));
    }

    #[test]
    fn differences_are_told_in_short() {
        let mut scenario = two();
        scenario.set("variants[1].kernel.features.NEXT_BUDDY", "true").expect("a flag");
        let told = differences(&scenario, 1);
        assert_eq!(told[0], ("release".to_owned(), "6.5 → 6.12".to_owned()));
        assert_eq!(told[1], ("NEXT_BUDDY".to_owned(), "on".to_owned()));
    }

    #[test]
    fn a_document_without_variants_is_its_own_kernel() {
        let mut scenario = Scenario::default();
        put_release(&mut scenario, 0, Release::V6_5);
        assert_eq!((scenario.kernel.release, kernel_path(&scenario, 0).as_str()), (Release::V6_5, "kernel"));
    }
}
