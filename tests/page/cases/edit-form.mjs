// Form, text and link are views of one value.
import { documentText, open, show } from '../lab.mjs';

export const name = 'a change in the form changes text, link and results, and can be undone';

export async function run(lab) {
  const { page, expect, ready, axe } = lab;
  await open(lab);
  await expect.eventually(async () => expect.match(page.url(), /#s=1\./));
  const before = page.url();
  await page.getByRole('button', { name: /^.?\s*hog/ }).click();
  await page.getByLabel('Instances').fill('3');
  await page.getByLabel('Slice, µs').fill('700');
  await page.getByLabel('Event 1: how long').fill('exp 2500');
  await axe('a task form');
  await expect.eventually(async () => expect.ok(page.url() !== before, 'the link follows'));
  await expect.text(page.getByRole('region', { name: 'Results' }), /has changed since this run/);
  const text = JSON.parse(await documentText(page));
  expect.equal(text.workload.tasks.hog.instance, 3);
  expect.equal(text.workload.tasks.hog.slice_us, 700);
  expect.equal(text.workload.tasks.hog.run, { exp: 2500 });

  await page.getByRole('button', { name: /Run/ }).first().click();
  await ready();
  await expect.text(page.getByRole('region', { name: 'Tasks', exact: true }), /hog:\(3\)/);

  // A value that makes no sense is told beside the field and goes nowhere.
  await show(page, 'Workload');
  await page.getByRole('button', { name: /^.?\s*hog/ }).click();
  await page.getByLabel('Instances').fill('many');
  await expect.text(page.locator('.wrongness'), /a whole number from 0/);
  expect.equal(JSON.parse(await documentText(page)).workload.tasks.hog.instance, 3);

  // Three fields, three steps back.
  for (let step = 0; step < 3; step += 1) await page.getByRole('button', { name: 'Undo' }).click();
  expect.equal(JSON.parse(await documentText(page)).workload.tasks.hog.instance, 5);
  await expect.eventually(async () => expect.equal(page.url(), before));
}
