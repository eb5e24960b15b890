//! Native and wasm hashes are equal on all golden cases, in a real browser.

#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn wasm_runs_have_the_native_hashes() {
    assert!(schedlab_determinism::NATIVE.len() >= 275);
    assert_eq!(schedlab_determinism::differing().unwrap(), Vec::<String>::new());
}
