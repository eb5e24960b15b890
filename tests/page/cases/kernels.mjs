// Release, flags, tunables and HZ of each variant.
import { documentText, open, show } from '../lab.mjs';

export const name = 'release, flags, tunables and HZ of a variant can be chosen';

export async function run(lab) {
  const { page, expect, ready, axe } = lab;
  await open(lab);
  await show(page, 'Variants');
  const second = page.locator('.task').nth(1);
  await second.getByText(/^Features · /).click();
  await second.getByLabel(/PREEMPT_SHORT/).uncheck();
  await second.getByText(/^Tunables · /).click();
  await second.getByLabel('base_slice_ns').fill('3000000');
  await expect.visible(second.getByText(/1 changed/).first());
  await axe('flags and tunables');
  await show(page, 'Machine');
  await page.getByLabel('Ticks a second, HZ').selectOption('250');
  await axe('the machine');
  const text = JSON.parse(await documentText(page));
  expect.equal(text.machine.hz, 250);
  expect.equal(text.variants[1].kernel, {
    release: '6.12',
    features: { PREEMPT_SHORT: false },
    tunables: { base_slice_ns: 3000000 },
  });
  await axe('the text');

  // A third variant, and one that drops what its new release lacks.
  await show(page, 'Variants');
  await page.getByRole('button', { name: '+ variant' }).click();
  await page.locator('.task').nth(2).getByLabel('Release').selectOption('6.5');
  await second.getByLabel('Release').selectOption('6.5');
  const after = JSON.parse(await documentText(page));
  expect.equal(after.variants.map((variant) => variant.kernel.release), ['6.5', '6.5', '6.5']);
  expect.equal(after.variants[1].kernel.features?.PREEMPT_SHORT, undefined);
  await page.getByRole('button', { name: /Run/ }).first().click();
  await ready();
  await expect.text(page.getByRole('region', { name: 'Counters' }), /C\s6\.5 \(3\)/);
}
