// An experiment: what it models, real switches that show why, its runs spread over workers, reported beside simulated.
import { open } from '../lab.mjs';

export const name = 'an experiment runs in the page, reported beside simulated, and shows real switches';
export const timeout = 120_000;

export async function run(lab) {
  const { page, expect, ready, axe, shot } = lab;
  await open(lab);
  await page.getByRole('button', { name: 'Library', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Library' });
  await dialog.getByRole('button', { name: /^Experiments/ }).click();
  await dialog.getByRole('button').filter({ has: page.locator('b', { hasText: /^RESPECT_SLICE/ }) }).click();
  await expect.hidden(dialog);
  const card = page.getByRole('region', { name: 'Experiment' });
  const start = card.getByRole('button', { name: /Run the experiment \(\d+ runs\)/ });
  await expect.visible(start);
  await expect.text(card, /Reported: .*LKML/);

  await start.click();
  await card.getByRole('button', { name: 'Stop the experiment' }).click();
  await start.click();
  await expect.hidden(card.getByRole('progressbar'));
  await expect.text(card, /lines that must come out/, 60_000);
  const rows = card.getByRole('group', { name: 'Reported beside simulated' }).getByRole('row');
  expect.ok((await rows.count()) > 10, 'the table has its rows');
  const must = card.getByRole('group', { name: 'What must come out' }).getByRole('row');
  expect.ok((await must.count()) > 1, 'and its lines');
  await axe('an experiment');
  await shot('experiment');

  // A real switch: its scenario is opened and run, and the switch is selected and explained.
  const look = card.getByRole('button', { name: /^Show: / }).last();
  await look.click();
  await ready();
  await expect.text(page.getByRole('complementary', { name: 'Why' }), /deadline was renewed/, 20_000);
  await expect.text(page.getByRole('region', { name: 'Notes' }), /RUN_TO_PARITY/);

  await card.getByRole('button', { name: 'Open as a scenario' }).click();
  await expect.eventually(async () =>
    expect.match(await page.getByLabel('Title of the scenario').inputValue(), /RESPECT_SLICE.*: pool/),
  );
  await card.getByRole('button', { name: 'Close the experiment' }).click();
  await expect.hidden(card);
}
