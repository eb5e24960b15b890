// A first visit sees what there is to open; the whole library is a dialog, by pointer and by keyboard.
import { open } from '../lab.mjs';

export const name = 'lessons and workloads of the library open by click and by keyboard';

export async function run(lab) {
  const { page, url, expect, ready, axe, shot } = lab;
  await open(lab);
  const start = page.getByRole('region', { name: 'Start here' });
  const title = page.getByLabel('Title of the scenario');
  await axe('the gallery of a first visit');
  await shot('gallery-first');
  const first = start.locator('.entry').first();
  const name = await first.locator('b').innerText();
  await first.focus();
  await page.keyboard.press('Enter');
  await ready();
  await expect.eventually(async () => expect.equal(await title.inputValue(), name));
  await expect.hidden(start);
  await expect.text(page.getByRole('region', { name: 'Notes' }), /Look at/);

  await page.getByRole('button', { name: 'Library' }).click();
  const dialog = page.getByRole('dialog', { name: 'Library' });
  await expect.text(dialog, /Lessons[\s\S]*Workloads/);
  await axe('the library');
  await shot('gallery');
  await page.keyboard.press('Escape');
  await expect.hidden(dialog);
  await page.getByRole('button', { name: 'Library' }).click();
  await dialog.getByRole('button', { name: /^Workloads/ }).click();
  // The one of that title; other entries tell of it in their text.
  await dialog.getByRole('button').filter({ has: page.locator('b', { hasText: /^hackbench$/ }) }).click();
  await ready();
  await expect.hidden(dialog);
  await expect.eventually(async () => expect.match(await title.inputValue(), /hackbench/i));

  // Whoever has a draft is not greeted again.
  await page.waitForTimeout(600);
  await page.goto('about:blank');
  await page.goto(url);
  await ready();
  expect.equal(await page.getByRole('region', { name: 'Start here' }).count(), 0);
}
