// Results of many CPUs: where their time went, the timeline, placement, shared cores, and a CPU looked at.
import { drop, inkOf, open } from '../lab.mjs';

export const name = 'results of many CPUs: time of each CPU, timeline, wake-ups, cookies, balancing';
export const timeout = 120_000;

const SCENARIO = {
  schema: 1,
  title: 'Cookies',
  machine: { llcs_per_node: 2, cores_per_llc: 4, threads_per_core: 2, smt_speed: 650, context_switch_ns: 1500, migration_ns: 3000 },
  workload: {
    tasks: {
      alice: { instance: 9, run: { exp: 3000 }, sleep: { exp: 2000 }, cookie: 10 },
      bob: { instance: 9, run: { exp: 3000 }, sleep: { exp: 2000 }, cookie: 20 },
      batch: { instance: 4, run: 20000 },
    },
  },
  run: { duration_ms: 600 },
  variants: [{ name: 'off' }, { name: 'core', kernel: { core_sched: 'mainline' } }],
};

export async function run(lab) {
  const { page, expect, ready, axe, shot } = lab;
  await open(lab);
  await drop(page, 'cookies.json', JSON.stringify(SCENARIO));
  await page.getByRole('button', { name: /Run/ }).first().click();
  await ready();
  await expect.text(page.getByRole('region', { name: 'What changed' }), /B\score/);

  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect.eventually(async () => expect.ok((await inkOf(timeline.locator('canvas'))) > 5_000, 'the timeline is drawn'));
  await timeline.getByRole('button', { name: 'B core' }).click();
  const grid = page.getByRole('grid', { name: 'Each CPU' });
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect.text(page.getByRole('region', { name: 'CPU 1', exact: true }), /Thread 0 of core 1 beside CPU 9, LLC 0, node 0\.[\s\S]*Busy[\s\S]*Ran here/);
  await page.keyboard.press('End');
  await expect.text(page.getByRole('region', { name: 'CPU 15', exact: true }), /core 7/);
  await axe('a CPU is looked at');
  await shot('many-cpus-light');

  // By keyboard: another stretch, another CPU, its switch.
  const before = await timeline.locator('small').innerText();
  await timeline.getByRole('application').focus();
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowRight');
  await expect.eventually(async () => expect.ok((await timeline.locator('small').innerText()) !== before, 'the stretch moves'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.eventually(async () => {
    const looked = await page.locator('.lookedAt h2').innerText();
    const why = await page.getByRole('complementary', { name: 'Why' }).innerText();
    expect.ok(why.includes(`· ${looked.match(/CPU \d+/)[0]}`), 'the switch is of the chosen CPU');
  });
  await timeline.getByRole('button', { name: 'All of the run' }).click();
  await timeline.getByRole('button', { name: 'Timeline as a table' }).click();
  await expect.text(timeline.getByRole('table'), /CPU 0\s+\d+\.?\d*\s%\s+\d+\.?\d*\s%\s+\d+/);
  await axe('the timeline as a table');
  await timeline.getByRole('button', { name: 'Timeline as a table' }).click();

  await expect.text(page.getByRole('region', { name: 'Wake-ups' }), /previous CPU[\s\S]*a CPU idle while a task waits elsewhere/);
  const shared = page.getByRole('region', { name: 'Shared cores' });
  // With core scheduling two cookies never meet; the letters tell which cookie is whose.
  await expect.text(shared, /two different cookies\s+[\d\s]*[1-9]\d*\.\d+\s+0\.000/);
  await expect.text(shared, /alice\s*cookie\s*a/);
  await expect.text(page.getByRole('region', { name: 'Balancing' }), /SMT idle[\s\S]*MC newly idle[\s\S]*PKG busy/);
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await axe('many CPUs, dark');
  await shot('many-cpus-dark');
  await shared.scrollIntoViewIfNeeded();
  await shot('many-cpus-dark-below');
  await page.setViewportSize({ width: 390, height: 844 });
  await timeline.scrollIntoViewIfNeeded();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect.ok(wide <= 390, `the page is ${wide} px wide`);
  await shot('many-cpus-390');
  await page.setViewportSize({ width: 2560, height: 1440 });
  await expect.eventually(async () => expect.ok((await inkOf(timeline.locator('canvas'))) > 5_000, 'the timeline is drawn again'));
  await page.evaluate(() => document.querySelector('.center').scrollTo(0, 0));
  await page.waitForTimeout(300);
  await shot('many-cpus-2560');
}
