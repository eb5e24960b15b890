// Assertions of the page cases. Those that wait try again until the time is over, because a page takes its time.

import assert from 'node:assert/strict';

const WAIT_MS = 10_000;

export const expect = {
  /** `condition` is true. */
  ok: (condition, what) => assert.ok(condition, what),

  /** Deep and strict equality. */
  equal: (actual, expected, what) => assert.deepEqual(actual, expected, what),

  /** `text` matches the pattern. */
  match: (text, pattern, what) => assert.match(text, pattern, what),

  /** Waits until the locator is visible. */
  visible: (locator, timeout = WAIT_MS) => locator.first().waitFor({ state: 'visible', timeout }),

  /** Waits until nothing that the locator finds is visible. */
  hidden: (locator, timeout = WAIT_MS) => locator.first().waitFor({ state: 'hidden', timeout }),

  /** Waits until the locator's text matches the pattern. */
  text: (locator, pattern, timeout = WAIT_MS) =>
    eventually(async () => assert.match(await locator.first().innerText({ timeout: 1_000 }), pattern), timeout),

  /** Waits until `check` no longer throws; then returns what it returned. */
  eventually: (check, timeout = WAIT_MS) => eventually(check, timeout),
};

async function eventually(check, timeout) {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
