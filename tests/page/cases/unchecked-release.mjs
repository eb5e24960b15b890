// What a release was checked against stands beside the results; every release can be chosen.
import { documentText, open, show } from '../lab.mjs';

export const name = 'releases say what they were checked against, and those without traces say that';

export async function run(lab) {
  const { page, expect, ready, axe } = lab;
  await open(lab);
  const checked = page.getByRole('region', { name: 'Checked against kernels' });
  await expect.text(checked, /6\.5 CFS: traces of 6\.5\.0[\s\S]*6\.12 EEVDF: traces of 6\.12\.0/);
  expect.ok(!(await checked.innerText()).includes('not checked'), 'both were checked, groups too');

  await show(page, 'Variants');
  const second = page.locator('.task').nth(1);
  const releases = await second.getByLabel('Release').locator('option').evaluateAll((options) => options.map((option) => option.value));
  expect.equal(releases, ['6.1', '6.5', 'eevdf-rfc', '6.6', '6.8', '6.12', '6.12-stable', '6.13', '6.14', '6.15', '6.18', '6.19', '7.0', '7.1', '7.2', '7.3']);
  for (const [release, pattern] of [
    ['eevdf-rfc', /eevdf-rfc EEVDF: not checked against a kernel/],
    ['7.3', /7\.3 EEVDF: traces of 7\.3\.4[\s\S]*Groups and their limits: not checked against a kernel/],
  ]) {
    await second.getByLabel('Release').selectOption(release);
    await expect.text(second, /not checked against a kernel/);
    await page.getByRole('button', { name: /Run/ }).first().click();
    await ready();
    await expect.text(checked, pattern);
  }

  // Flags of 7.3, the slice timer among them, and its preemption models.
  await second.getByText(/^Features · /).click();
  await expect.text(second.locator('.flag', { has: page.getByLabel('HRTICK', { exact: true }) }), /default on · model[\s\S]*timer ends a slice/);
  const models = await second.getByLabel('Preemption', { exact: true }).locator('option').evaluateAll((options) => options.map((option) => option.value));
  expect.equal(models, ['full', 'lazy']);
  await second.getByLabel('Preemption', { exact: true }).selectOption('full');
  await axe('the flags of 7.3');
  const first = page.locator('.task').nth(0);
  await first.getByText(/^Features · /).click();
  await first.getByLabel('HRTICK', { exact: true }).check();
  await first.getByLabel('DOUBLE_TICK', { exact: true }).check();
  const document = JSON.parse(await documentText(page));
  expect.equal(document.variants[1].kernel, { release: '7.3', preempt: 'full' });
  expect.equal(document.variants[0].kernel.features, { HRTICK: true, DOUBLE_TICK: true });
  await page.getByRole('button', { name: /Run/ }).first().click();
  await ready();
  await expect.text(page.getByRole('region', { name: 'Counters' }), /A\s6\.5/);
}
