// A scenario travels as a link.
import { documentText, open, show } from '../lab.mjs';

export const name = 'a shared link opens elsewhere with the same document; a bad one keeps the draft';

export async function run(lab) {
  const { page, url, expect, ready } = lab;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(lab);
  await page.getByLabel('Title of the scenario').fill('for a colleague');
  await page.getByRole('button', { name: 'Share' }).click();
  await expect.text(page.getByRole('region', { name: 'Results' }), /The link is copied/);
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const sent = await documentText(page);
  expect.match(sent, /for a colleague/);

  const elsewhere = await page.context().browser().newContext();
  try {
    const other = await elsewhere.newPage();
    await other.goto(link);
    await other.getByRole('heading', { name: 'What changed' }).waitFor();
    expect.equal(await documentText(other), sent);
  } finally {
    await elsewhere.close();
  }

  // A link that was cut on its way: the reason is told, and the own draft is there.
  await page.goto('about:blank');
  await page.goto(`${url}${link.slice(link.indexOf('#'), -20)}`);
  await ready();
  await expect.text(page.getByRole('alert'), /The link does not open\. Your own draft is untouched/);
  expect.equal(await documentText(page), sent);

  // A good link over a draft: one step back is the draft.
  await page.goto('about:blank');
  await page.evaluate(() => {});
  await page.goto(link.replace(/#.*/, ''));
  await page.getByLabel('Title of the scenario').fill('my own');
  await expect.eventually(async () => expect.ok(!link.endsWith(new URL(page.url()).hash), 'the draft has a link of its own'));
  await page.goto('about:blank');
  await page.goto(link);
  await ready();
  await expect.text(page.getByRole('region', { name: 'Results' }), /Undo brings your own draft back/);
  await page.getByRole('button', { name: 'Undo' }).click();
  expect.equal(await page.getByLabel('Title of the scenario').inputValue(), 'my own');
  await show(page, 'Workload');
}
