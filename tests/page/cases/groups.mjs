// Control groups as forms: a task's group and cookie, a group's weight and limit, and what the inspector says of them.
import { documentText, open, show } from '../lab.mjs';

export const name = 'groups are edited as forms and shown level by level';

export async function run(lab) {
  const { page, expect, ready, axe } = lab;
  await open(lab);
  await page.getByRole('button', { name: /hog × 5/ }).click();
  await page.getByLabel('Group', { exact: true }).fill('/batch');
  await page.getByLabel('Cookie').fill('7');
  await page.getByRole('button', { name: '+ group' }).click();
  const group = page.getByRole('group', { name: 'Group /batch' });
  await group.getByLabel('cpu.weight').fill('20');
  await group.getByLabel('Quota, µs').fill('20000');
  await axe('a group');
  await group.getByLabel('Path').fill('/slow');
  const document = JSON.parse(await documentText(page));
  expect.equal(document.groups, { '/slow': { weight: 20, max: { quota_us: 20000 } } });
  expect.equal([document.workload.tasks.hog.taskgroup, document.workload.tasks.hog.cookie], ['/slow', 7]);
  await show(page, 'Workload');
  await page.getByRole('button', { name: /Run/ }).first().click();
  await ready();
  const switches = page.getByRole('region', { name: 'Switches' });
  await switches.getByRole('button', { name: /B\s6\.12/ }).click();
  const why = page.getByRole('complementary', { name: 'Why' });
  await expect.eventually(async () => {
    const count = await switches.getByRole('option').count();
    for (let row = 0; row < Math.min(count, 10); row += 1) {
      await switches.getByRole('option').nth(row).click();
      await page.waitForTimeout(50);
      if (/Queue of \/slow/.test(await why.innerText())) return;
    }
    throw new Error(await why.innerText());
  });
  expect.match(await why.innerText(), /Queue of \/\n[\s\S]*\/slow[\s\S]*Queue of \/slow/);
}
