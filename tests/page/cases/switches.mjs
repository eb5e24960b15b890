// The list holds thousands of switches and draws a few; the inspector follows the selection.
import { open } from '../lab.mjs';

export const name = 'the list of switches can be filtered and scrolled, and each switch is explained';

export async function run(lab) {
  const { page, expect, axe } = lab;
  await open(lab);
  const region = page.getByRole('region', { name: 'Switches' });
  const list = region.getByRole('listbox');
  await expect.visible(list.getByRole('option').first());
  expect.ok((await list.getByRole('option').count()) < 60, 'only what is seen is drawn');
  await region.getByRole('button', { name: 'Preemptions' }).click();
  await region.getByRole('button', { name: /B\s6\.12/ }).click();
  await expect.eventually(async () => {
    const reasons = await list.locator('.line > span:last-child').allInnerTexts();
    expect.ok(reasons.length > 5 && reasons.every((text) => !/block|exit|yield/.test(text)), reasons.join());
  });
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await expect.eventually(async () => {
    const times = await list.locator('.line > span:first-child').allInnerTexts();
    expect.ok(times.length > 5 && Number.parseFloat(times.at(-1)) > 2, `the end is shown: ${times.at(-1)}`);
  });
  const row = list.getByRole('option').last();
  await row.click();
  const why = page.getByRole('complementary', { name: 'Why' });
  await expect.text(why, /B\s6\.12[\s\S]*takes the CPU[\s\S]*model\s§[\s\S]*had been on the CPU for/);
  await axe('a selected switch');
}
