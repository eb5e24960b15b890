// Runs the cases in `cases/` against the built page in a headless Chromium, one after the other.
// `cargo xtask test --only page` calls it with everything it needs, and prints the call so that it can be repeated by hand
// (`--case TEXT` at its end runs only the cases whose name or file contains TEXT).
//
// A case is a file `cases/*.mjs`:
//
//     export const name = 'what holds if it passes';
//     export const screen = { width: 390, height: 844, colorScheme: 'dark', scale: 2 };   // optional; default 1440x900, light, 1
//     export const expectedErrors = [/not JSON/];      // optional: console errors that belong to the case; others fail it
//     export const timeout = 120_000;                  // optional, ms; default 60 s for the whole case
//     export async function run({ page, url, subUrl, expect, ready, shot, axe, sharedDir, skip }) { ... }
//
// page       a fresh Playwright page in a fresh context (nothing stored); reduced motion is on
// url        address of the page at the root of a host; subUrl: the same files under a sub-path
// expect     assertions, see expect.mjs
// ready      await ready(): the page has a visible <main>, and nothing in it says aria-busy="true" (a run in progress)
// shot       await shot('name'): a screenshot into the screenshots folder, for people to look at
// axe        await axe('what is open'): fails on any accessibility violation that axe-core finds
// sharedDir  the folder of shared references beside the project, or null in a lone clone
// skip       skip('why'): ends the case without a verdict; it is counted apart and its reason printed
//
// A case also fails on an uncaught error, a console error, a failed request, and a request to any other host.

import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { checkAccessibility } from './axe.mjs';
import { expect } from './expect.mjs';
import { SUB_PATH, serve } from './server.mjs';

/** The screenshot that `--update-screenshot` copies; the case `screens` makes it. */
const README_SHOT = 'page-1440x900-light.png';

class Skip extends Error {}

const { values: options } = parseArgs({
  options: {
    dist: { type: 'string' },
    playwright: { type: 'string' },
    axe: { type: 'string' },
    browser: { type: 'string' },
    screenshots: { type: 'string' },
    shared: { type: 'string' },
    case: { type: 'string' },
    'update-screenshot': { type: 'string' },
  },
});
for (const needed of ['dist', 'playwright', 'axe', 'browser', 'screenshots']) {
  if (!options[needed]) {
    console.error(`--${needed} is missing; \`cargo xtask test --only page\` gives it`);
    process.exit(2);
  }
}

/** Resolves a package in one of xtask's tool folders. */
function packageIn(folder, name) {
  return createRequire(path.join(path.resolve(folder), 'node_modules', 'x.js')).resolve(name);
}

async function loadCases() {
  const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'cases');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.mjs')).sort();
  const cases = [];
  for (const file of files) {
    const content = await import(pathToFileURL(path.join(folder, file)));
    if (typeof content.name !== 'string' || typeof content.run !== 'function') {
      throw new Error(`${file} must export a name and a function run`);
    }
    if (!options.case || file.includes(options.case) || content.name.includes(options.case)) {
      cases.push({ file, ...content });
    }
  }
  return cases;
}

/** Notes everything that must not happen while a case runs. */
function watch(page, origin, expectedErrors) {
  const problems = [];
  const note = (text) => {
    if (!expectedErrors.some((pattern) => pattern.test(text))) problems.push(text);
  };
  page.on('pageerror', (error) => note(`uncaught error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') note(`console error: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    // A request that the page itself gave up, by leaving or by ending its worker, is no failure.
    const why = request.failure()?.errorText;
    if (why !== 'net::ERR_ABORTED') note(`request failed: ${request.url()} (${why})`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) note(`HTTP ${response.status()}: ${response.url()}`);
  });
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (target.protocol.startsWith('http') && target.origin !== origin) note(`request to another host: ${target}`);
  });
  return problems;
}

async function ready(page) {
  await page.locator('main').first().waitFor({ state: 'visible' });
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
}

/** Runs one case in a context of its own. Returns 'passed' or 'skipped', or throws what is wrong. */
async function runCase(browser, server, axeSource, test) {
  const { width = 1440, height = 900, colorScheme = 'light', scale = 1 } = test.screen ?? {};
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const limit = test.timeout ?? 60_000;
  page.setDefaultTimeout(Math.min(limit, 30_000));
  const problems = watch(page, server.origin, test.expectedErrors ?? []);
  let timer;
  try {
    const tooLong = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done after ${limit / 1000} s`)), limit);
    });
    const work = test.run({
      page,
      url: `${server.origin}/`,
      subUrl: `${server.origin}${SUB_PATH}`,
      expect,
      ready: () => ready(page),
      shot: (name) => page.screenshot({ path: path.join(options.screenshots, `${name}.png`) }),
      axe: (what) => checkAccessibility(page, axeSource, what),
      sharedDir: options.shared ?? null,
      skip: (why) => {
        throw new Skip(why);
      },
    });
    await Promise.race([work, tooLong]);
  } catch (error) {
    if (error instanceof Skip) {
      console.log(`  skipped: ${error.message}`);
      return 'skipped';
    }
    const shown = path.join(options.screenshots, `failed-${path.basename(test.file, '.mjs')}.png`);
    const seen = await page.screenshot({ path: shown, timeout: 5_000 }).then(() => `\nsee ${shown}`, () => '');
    throw new Error([error.stack ?? String(error), ...problems].join('\n') + seen);
  } finally {
    clearTimeout(timer);
    await context.close();
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return 'passed';
}

const { chromium } = (await import(pathToFileURL(packageIn(options.playwright, 'playwright-core')))).default;
const axeSource = await readFile(packageIn(options.axe, 'axe-core/axe.min.js'), 'utf8');
const { binary, args } = JSON.parse(await readFile(options.browser, 'utf8'))['goog:chromeOptions'];
await mkdir(options.screenshots, { recursive: true });

const cases = await loadCases();
const server = await serve(options.dist);
const browser = await chromium.launch({ executablePath: binary, args });
const count = { passed: 0, failed: 0, skipped: 0 };
for (const test of cases) {
  const begin = performance.now();
  let outcome;
  try {
    outcome = await runCase(browser, server, axeSource, test);
  } catch (error) {
    outcome = 'failed';
    console.log(String(error.message).replace(/^/gm, '    '));
  }
  count[outcome] += 1;
  console.log(`${outcome.padEnd(8)}${((performance.now() - begin) / 1000).toFixed(1).padStart(6)} s  ${test.name}`);
}
await browser.close();
server.close();
if (options['update-screenshot'] && count.failed === 0) {
  await mkdir(path.dirname(options['update-screenshot']), { recursive: true });
  await copyFile(path.join(options.screenshots, README_SHOT), options['update-screenshot']);
  console.log(`wrote ${options['update-screenshot']}`);
}
console.log(`page: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exitCode = count.failed > 0 || count.passed === 0 ? 1 : 0;
