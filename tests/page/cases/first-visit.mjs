// Nobody starts from an empty page: a first visit shows a small scenario already run.
import { inkOf, open } from '../lab.mjs';

export const name = 'a first visit shows the results of a small scenario';
export const screen = { scale: 2 };

export async function run(lab) {
  const { page, expect, shot } = lab;
  await open(lab);
  const changes = page.getByRole('region', { name: 'What changed' });
  await expect.text(changes, /A\s6\.5[\s\S]*B\s6\.12/);
  expect.ok((await changes.locator('tbody tr').count()) >= 4, 'several measures are compared');
  for (const chart of ['Wake delay', 'Ran before preempted', 'Preemptions']) {
    const canvas = page.getByRole('region', { name: chart }).locator('canvas');
    await expect.eventually(async () => expect.ok((await inkOf(canvas)) > 500, `${chart} is drawn`));
    const sharp = await canvas.evaluate((c) => Math.abs(c.width - c.getBoundingClientRect().width * devicePixelRatio));
    expect.ok(sharp <= 1, `${chart} has the pixels of the screen`);
  }
  await expect.text(page.getByRole('region', { name: 'Counters' }), /sched_count/);
  await expect.text(page.getByRole('region', { name: 'Tasks', exact: true }), /hog:\(5\)[\s\S]*sleeper/);
  // The first switch is selected and explained.
  await expect.text(page.getByRole('complementary', { name: 'Why' }), /CPU 0[\s\S]*takes the CPU[\s\S]*Rule: [\s\S]*model\s§/);
  await shot('first-visit');
}
