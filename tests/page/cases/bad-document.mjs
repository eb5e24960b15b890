// What is wrong is said where it is, and nothing of the user's is lost.
import { documentText, drop, open, show } from '../lab.mjs';

export const name = 'a bad document says where it is wrong, and the draft is untouched';

export async function run(lab) {
  const { page, expect, axe } = lab;
  await open(lab);
  const good = await documentText(page);

  // Dropped files: each is refused with a reason within a second.
  const nested = '['.repeat(200_000);
  for (const [name, content, reason] of [
    ['empty.json', '', /empty\.json cannot be opened/],
    ['binary.json', '\u0000\u0001\u0002ELF', /binary\.json cannot be opened/],
    ['nested.json', nested, /nested\.json cannot be opened/],
    ['big.json', 'x'.repeat(50 * 1024 * 1024), /it has 50 MiB/],
    ['negative.json', '{"tasks": {"a": {"run": -5}}}', /line 1, column/],
    ['million.json', '{"tasks": {"a": {"instance": 1000000, "run": 5}}}', /instance/],
    ['release.json', '{"schema": 1, "kernel": {"release": "5.4"}, "workload": {"tasks": {"a": {"run": 5}}}}', /5\.4/],
  ]) {
    await drop(page, name, content);
    await expect.text(page.getByRole('alert').first(), reason, 5_000);
    await expect.text(page.getByRole('alert').first(), new RegExp(name.replace('.', '\\.')));
  }
  await axe('a refused file');
  await page.getByRole('button', { name: 'Dismiss' }).click();
  expect.equal(await documentText(page), good);

  // Edited text: the line is named while typing, and Apply applies nothing.
  const bad = good.replace('"sleeper": {', '"sleeper": {\n        "rum": 5,');
  const line = bad.split('\n').findIndex((text) => text.includes('"rum"')) + 1;
  await page.getByLabel('The scenario document').fill(bad);
  await expect.text(page.locator('#text-problems'), new RegExp(`did you mean run\\?[\\s\\S]*line ${line}, column`));
  await axe('a text with an error');
  await page.getByRole('button', { name: /Apply/ }).click();
  await page.getByRole('button', { name: `line ${line}, column` }).click();
  const selected = await page.getByLabel('The scenario document').evaluate((area) => area.value.slice(area.selectionStart - 1).slice(0, 5));
  expect.match(selected, /"?rum/);

  // The unfinished text is there after another view and after another visit; the scenario is what it was.
  await show(page, 'Workload');
  await expect.visible(page.getByRole('button', { name: /sleeper/ }));
  await page.reload();
  expect.equal(await documentText(page), bad);
  await page.getByRole('button', { name: 'Discard edits' }).click();
  expect.equal(JSON.parse(await documentText(page)).workload, JSON.parse(good).workload);
}
