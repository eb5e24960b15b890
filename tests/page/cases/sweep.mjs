// A sweep: one parameter as a curve with its error band, two as a heat map, each as a table; stopped, and refused when too large.
import { open, show } from '../lab.mjs';

export const name = 'one or two parameters are swept: curve, heat map, table, Stop';
export const timeout = 120_000;

export async function run(lab) {
  const { page, expect, axe, shot } = lab;
  await open(lab);
  await show(page, 'Machine');
  await page.getByLabel('Duration, ms').fill('200');
  await show(page, 'Sweep');
  const start = page.getByRole('button', { name: 'Run the sweep' });
  await page.getByLabel('Its values').fill('1..5');
  await page.getByLabel('Of variant').selectOption('1');
  await expect.visible(page.getByText('5 points, 15 runs of 200 ms each.'));
  await axe('the form of a sweep');
  await start.click();
  const card = page.getByRole('region', { name: 'Sweep' });
  await expect.text(card, /5 of 5/, 40_000);
  await card.getByLabel('Figure').selectOption('total.preempted');
  const points = card.locator('circle');
  await expect.eventually(async () => expect.equal(await points.count(), 5));
  const height = (place) => points.nth(place).getAttribute('cy').then(Number);
  expect.ok((await height(0)) > (await height(4)), 'more hogs are preempted more often');
  await axe('a curve');
  await shot('sweep-curve');
  await card.getByRole('button', { name: 'Sweep as a table' }).click();
  expect.equal(await card.getByRole('row').count(), 6);
  await card.getByRole('button', { name: 'Sweep as a table' }).click();

  await page.getByLabel('Second parameter').fill('kernel.tunables.base_slice_ns');
  await page.getByLabel('Values of the second').fill('700000, 3000000, 6000000');
  await start.click();
  await expect.text(card, /15 of 15/, 60_000);
  expect.equal(await card.getByRole('row').count(), 6);
  expect.equal(await card.locator('td[style]').count(), 15);
  await axe('a heat map');
  await shot('sweep-heat');

  // What cannot be is told with its place, and what is too much with its size.
  await page.getByLabel('Values of the second').fill('1');
  await start.click();
  await expect.text(card.getByRole('alert'), /the run at workload\.tasks\.hog\.instance=\d, kernel\.tunables\.base_slice_ns=1 failed/);
  await page.getByLabel('Its values').fill('1..999');
  await page.getByLabel('Values of the second').fill('1..999');
  await expect.visible(page.getByText(/These are 2994003 runs; the page takes up to 2000/));
  expect.ok(await start.isDisabled(), 'a sweep that large does not begin');
  await page.getByLabel('Its values').fill('1..600');
  await page.getByLabel('Second parameter').fill('');
  await start.click();
  await card.getByRole('button', { name: 'Stop the sweep' }).click();
  await card.getByRole('button', { name: 'Close the sweep' }).click();
  await expect.hidden(card);
}
