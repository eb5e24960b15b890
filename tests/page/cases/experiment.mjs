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

  // All of it on a phone, and the library too.
  const widest = () => page.evaluate(() => document.documentElement.scrollWidth);
  const screen = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  expect.ok((await widest()) <= 390, 'the card fits a phone');
  await shot('experiment-390');
  await page.getByRole('button', { name: 'Library', exact: true }).click();
  const close = dialog.getByRole('button', { name: 'Close' });
  const edge = await close.boundingBox().then((box) => box.x + box.width);
  expect.ok(edge <= 390, 'the head of the library fits a phone');
  const entry = await dialog.locator('.entry').first().boundingBox();
  expect.ok(entry.x + entry.width <= 390, 'and so do its entries');
  await shot('gallery-390');
  await close.click();
  await page.setViewportSize(screen);

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
