// What carries the difference between two variants, repeats with their noise, and what the model was compared with.
import { drop, open, show } from '../lab.mjs';

export const name = 'the comparison shows errors and noise, is copied as Markdown, and finds what carries a change';
export const timeout = 120_000;

const SCENARIO = {
  schema: 1,
  title: 'One knob among three',
  workload: { tasks: { hog: { instance: 4, run: 9000 }, sleeper: { run: { exp: 200 }, sleep: { exp: 2000 } } } },
  run: { duration_ms: 300, repeats: 3 },
  variants: [
    { name: 'usual' },
    { name: 'turned', kernel: { tunables: { base_slice_ns: 3000000 }, features: { NEXT_BUDDY: true, DELAY_DEQUEUE: false } } },
  ],
};

export async function run(lab) {
  const { page, expect, ready, axe, shot } = lab;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(lab);
  await drop(page, 'knob.json', JSON.stringify(SCENARIO));
  await page.getByRole('button', { name: /Run/ }).first().click();
  await ready();
  const changes = page.getByRole('region', { name: 'What changed' });
  await expect.text(changes, /3 runs each · ± standard error · ≈ and grey: inside the noise/);
  await expect.text(changes.locator('.sem'), /±\d/);
  await changes.getByRole('button', { name: /All \d+ measures/ }).click();
  await expect.text(changes.getByText('inside the noise:').first(), /inside the noise/);
  await changes.getByRole('button', { name: 'Copy as Markdown' }).click();
  await expect.text(page.getByRole('region', { name: 'Results' }), /copied as a Markdown table/);
  expect.match(await page.evaluate(() => navigator.clipboard.readText()), /^\|.*usual.*\n\|[-:| ]+\|\n/);
  await changes.getByRole('button', { name: 'Only the main measures' }).click();

  await changes.getByText('What carries the difference?').click();
  await changes.getByLabel('Figure to explain').selectOption('tasks.hog.preempted');
  await changes.getByRole('button', { name: 'Find out' }).click();
  await expect.text(changes.locator('.carries'), /% of the change comes from[\s\S]*base_slice_ns[\s\S]*runs, all on the same seeds/, 60_000);
  await axe('what carries the difference');
  await shot('carries');

  await page.getByRole('button', { name: 'How true?' }).click();
  const dialog = page.getByRole('dialog', { name: 'How true is it?' });
  await expect.text(dialog, /compared|kernel/i);
  await axe('what the model was compared with');
  await shot('how-true');
  await page.keyboard.press('Escape');
  await expect.hidden(dialog);
  await show(page, 'Workload');
}
