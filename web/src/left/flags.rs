//! The feature flags and tunables of one variant's kernel: value, default, meaning, section.
//! What differs from the default is tinted. Not for the rules behind them.

use std::rc::Rc;

use schedlab_scenario::{Kernel, MOST_CPUS, Scenario};
use schedlab_sim::kernel::{Acts, FEATURES, FeatureInfo, TUNABLES, TunableInfo, Tunables};
use yew::prelude::*;

use super::variants::kernel_path;
use crate::parts::{Field, section_link, whole};
use crate::state::Edit;

/// Which kernel.
#[derive(Properties, PartialEq)]
pub struct FlagsProps {
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// Which variant.
    pub index: usize,
    /// The variant's kernel, all changes applied.
    pub kernel: Kernel,
    /// Changes a field.
    pub on_edit: Callback<Edit>,
}

/// The flags and tunables.
#[component]
pub fn Flags(props: &FlagsProps) -> Html {
    let (release, cpus) = (props.kernel.release, online_cpus(props));
    let has = |info: &&FeatureInfo| info.feature.default_in(release).is_some();
    let (acting, idle): (Vec<&FeatureInfo>, Vec<&FeatureInfo>) =
        FEATURES.iter().filter(has).partition(|info| acts(info, cpus));
    let tunables: Vec<&TunableInfo> = TUNABLES.iter().filter(|info| info.tunable.exists_in(release)).collect();
    let changed = |infos: &[&FeatureInfo]| infos.iter().filter(|info| is_changed(props, info)).count();
    let (of_acting, of_idle) = (changed(&acting), changed(&idle));
    let of_tunables = tunables.iter().filter(|info| props.kernel.tunables.contains_key(&info.tunable)).count();
    html! {
        <>
            <details open={of_acting > 0}>
                <summary>{ summary("Features", acting.len(), of_acting) }</summary>
                { for acting.into_iter().map(|info| flag(props, info)) }
            </details>
            <details open={of_tunables > 0}>
                <summary>{ summary("Tunables", tunables.len(), of_tunables) }</summary>
                { for tunables.into_iter().map(|info| tunable(props, info)) }
            </details>
            <details open={of_idle > 0}>
                <summary>{ summary(if cpus == 1 { "Features without effect on one CPU" } else { "Features without effect" }, idle.len(), of_idle) }</summary>
                { for idle.into_iter().map(|info| flag(props, info)) }
            </details>
        </>
    }
}

/// How many CPUs the variant's kernel has.
fn online_cpus(props: &FlagsProps) -> u32 {
    let online = props.scenario.variant(props.index).map(|named| named.scenario.online_cpus());
    online.unwrap_or_else(|_| props.scenario.online_cpus()).clamp(1, MOST_CPUS) as u32
}

/// Whether a feature does something on a machine of so many CPUs.
const fn acts(info: &FeatureInfo, cpus: u32) -> bool {
    match info.acts {
        Acts::OneCpu => true,
        Acts::ManyCpus => cpus > 1,
        Acts::Nothing => false,
    }
}

fn summary(what: &str, count: usize, changed: usize) -> String {
    if changed == 0 { format!("{what} · {count}") } else { format!("{what} · {count} · {changed} changed") }
}

fn value(props: &FlagsProps, info: &FeatureInfo) -> (bool, bool) {
    let usual = info.feature.default_in(props.kernel.release).unwrap_or(false);
    (props.kernel.features.get(&info.feature).copied().unwrap_or(usual), usual)
}

fn is_changed(props: &FlagsProps, info: &FeatureInfo) -> bool {
    let (now, usual) = value(props, info);
    now != usual
}

fn flag(props: &FlagsProps, info: &'static FeatureInfo) -> Html {
    let (now, usual) = value(props, info);
    let (on_edit, index) = (props.on_edit.clone(), props.index);
    let on_change = Callback::from(move |_: Event| {
        on_edit.emit(Edit::new(format!("flag{index}.{}", info.name), move |scenario| {
            put_flag(scenario, index, info, !now, usual)
        }));
    });
    html! {
        <div class={classes!("flag", (now != usual).then_some("changed"))}>
            <label>
                <input type="checkbox" checked={now} onchange={on_change} />
                <span class="name">{ info.name }</span>
            </label>
            <span class="section">{ format!("default {} · ", if usual { "on" } else { "off" }) }{ section_link(info.section) }</span>
            <span class="meaning">{ info.meaning }</span>
        </div>
    }
}

/// Sets a flag of a variant. A value that is the default is left out of the document, unless the
/// scenario itself names the flag.
fn put_flag(scenario: &mut Scenario, index: usize, info: &FeatureInfo, on: bool, usual: bool) {
    let inherited = !scenario.variants.is_empty() && scenario.kernel.features.contains_key(&info.feature);
    let value = if on == usual && !inherited {
        "null"
    } else if on {
        "true"
    } else {
        "false"
    };
    // The path and the value come from the kernel's own table.
    let _ = scenario.set(&format!("{}.features.{}", kernel_path(scenario, index), info.name), value);
}

fn tunable(props: &FlagsProps, info: &'static TunableInfo) -> Html {
    let usual = Tunables::defaults(props.kernel.release, online_cpus(props)).get(info.tunable);
    let now = props.kernel.tunables.get(&info.tunable).copied();
    let (on_edit, index) = (props.on_edit.clone(), props.index);
    let on_change = Callback::from(move |text: String| {
        let text = text.trim();
        let value = if text.is_empty() { None } else { Some(whole(text, info.least, info.most)?) };
        on_edit.emit(Edit::new(format!("tunable{index}.{}", info.name), move |scenario| {
            put_tunable(scenario, index, info, value.filter(|value| *value != usual), usual);
        }));
        Ok(())
    });
    let changed = now.is_some_and(|now| now != usual);
    html! {
        <div class={classes!("flag", "tunable", changed.then_some("changed"))}>
            <span class="name">{ info.name }</span>
            <Field bare=true label={info.name} value={now.map(|now| now.to_string()).unwrap_or_default()}
                placeholder={usual.to_string()} {changed} {on_change} />
            <span class="meaning">{ format!("{} Default {usual} · ", info.meaning) }{ section_link(info.section) }</span>
        </div>
    }
}

/// Sets a tunable of a variant; none is the default.
fn put_tunable(scenario: &mut Scenario, index: usize, info: &TunableInfo, value: Option<u64>, usual: u64) {
    let inherited = !scenario.variants.is_empty() && scenario.kernel.tunables.contains_key(&info.tunable);
    let text = match value {
        Some(value) => value.to_string(),
        None if inherited => usual.to_string(),
        None => "null".to_owned(),
    };
    let _ = scenario.set(&format!("{}.tunables.{}", kernel_path(scenario, index), info.name), &text);
}

#[cfg(test)]
mod tests {
    use schedlab_scenario::Variant;
    use schedlab_sim::kernel::{Feature, Release, Tunable};

    use super::*;

    fn scenario() -> Scenario {
        Scenario { variants: vec![Variant::of_release(Release::V6_12)], ..Scenario::default() }
    }

    #[test]
    fn a_flag_back_at_its_default_leaves_the_document() {
        let (mut changed, info) = (scenario(), Feature::PreemptShort.info());
        put_flag(&mut changed, 0, info, false, true);
        let kernel = changed.variant(0).expect("sound").scenario.kernel;
        assert_eq!(kernel.features.get(&Feature::PreemptShort), Some(&false));
        put_flag(&mut changed, 0, info, true, true);
        assert!(changed.variant(0).expect("sound").scenario.kernel.features.is_empty());
    }

    #[test]
    fn a_flag_of_the_scenario_is_overruled_by_name() {
        let mut changed = scenario();
        changed.kernel.features.insert(Feature::PreemptShort, false);
        put_flag(&mut changed, 0, Feature::PreemptShort.info(), true, true);
        let kernel = changed.variant(0).expect("sound").scenario.kernel;
        assert_eq!(kernel.features.get(&Feature::PreemptShort), Some(&true));
    }

    #[test]
    fn tunables_are_set_and_taken_back() {
        let (mut changed, info) = (scenario(), Tunable::BaseSlice.info());
        put_tunable(&mut changed, 0, info, Some(1_000_000), 750_000);
        let value =
            |s: &Scenario| s.variant(0).expect("sound").scenario.kernel.tunables.get(&Tunable::BaseSlice).copied();
        assert_eq!(value(&changed), Some(1_000_000));
        put_tunable(&mut changed, 0, info, None, 750_000);
        assert_eq!(value(&changed), None);
    }
}
