// The machine: counts, numbering, costs; drawn with the numbers that Linux gives its CPUs, and walked through by keyboard.
import { documentText, open, show } from '../lab.mjs';

export const name = 'a machine of many CPUs is edited, drawn and walked through by keyboard';

export async function run(lab) {
  const { page, expect, ready, axe, shot } = lab;
  await open(lab);
  await show(page, 'Machine');
  await page.getByLabel('LLCs a node').fill('2');
  await page.getByLabel('Cores an LLC').fill('2');
  await page.getByLabel('Threads a core').fill('2');
  await page.getByLabel('SMT speed').fill('600');
  await page.getByLabel('Change of CPU').fill('2000');
  const drawn = page.getByRole('application', { name: /1 node, 2 LLCs, 4 cores, 8 CPUs/ });
  await drawn.focus();
  const about = page.locator('#topology-cpu');
  await page.keyboard.press('End');
  await expect.text(about, /CPU 7: node 0, LLC 1, core 3, thread 1 beside CPU 3/);
  await page.keyboard.press('ArrowLeft');
  await expect.text(about, /CPU 3: .* thread 0 beside CPU 7/);
  await page.getByLabel('Numbering').selectOption('adjacent');
  await expect.text(about, /CPU 3: node 0, LLC 0, core 1, thread 1 beside CPU 2/);
  await page.getByLabel('Capacities').fill('1024*4 512*4');
  await page.getByLabel('On the CPUs').selectOption('staggered');
  await axe('a machine of 8 CPUs');
  await shot('machine-8');
  const text = JSON.parse(await documentText(page));
  expect.equal(text.machine, {
    llcs_per_node: 2, cores_per_llc: 2, threads_per_core: 2, tick: 'staggered', sibling_numbering: 'adjacent',
    capacities: [1024, 1024, 1024, 1024, 512, 512, 512, 512], smt_speed: 600, migration_ns: 2000,
  });

  // The kernel: core scheduling and nosmt of one variant.
  await show(page, 'Variants');
  const second = page.locator('.task').nth(1);
  await second.getByLabel('Core scheduling').selectOption('mainline');
  await second.getByLabel('nosmt').check();
  await axe('core scheduling');
  const changed = JSON.parse(await documentText(page));
  expect.equal(changed.variants[1].kernel, { release: '6.12', core_sched: 'mainline', nosmt: true });

  // Tasks: cookie, affinity, working set.
  await show(page, 'Workload');
  await page.getByRole('button', { name: /^.?\s*hog/ }).click();
  await page.getByLabel('Cookie').fill('7');
  await page.getByLabel('May run on CPUs').fill('0-2');
  await page.getByLabel('Working set').fill('512');
  await expect.text(page.locator('.task.selected .props'), /CPUs 0-2[\s\S]*working set 512[\s\S]*a\s+cookie 7/);
  await page.getByLabel('May run on CPUs').fill('0-8');
  await expect.text(page.locator('.wrongness'), /CPUs from 0 to 7/);
  await axe('cookie and affinity');
  const tasks = JSON.parse(await documentText(page)).workload.tasks;
  expect.equal([tasks.hog.cookie, tasks.hog.cpus, tasks.hog.working_set_kib], [7, [0, 1, 2], 512]);
  await page.getByRole('button', { name: /Run/ }).first().click();
  await ready();
  await expect.visible(page.getByRole('grid', { name: 'Each CPU' }));

  // The largest machine is still drawn at once, on a phone too.
  await show(page, 'Machine');
  await page.getByLabel('Capacities').fill('');
  await page.setViewportSize({ width: 390, height: 844 });
  const begin = await page.evaluate(() => performance.now());
  await page.getByLabel('Cores an LLC').fill('256');
  await expect.visible(page.getByRole('application', { name: /1024 CPUs/ }));
  const took = (await page.evaluate(() => performance.now())) - begin;
  expect.ok(took < 1000, `1024 CPUs took ${took} ms`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect.ok(wide <= 390, `the page is ${wide} px wide`);
  await axe('1024 CPUs');
  await shot('machine-1024-390px');
}
