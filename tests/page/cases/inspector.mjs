// Why a switch happened: a sentence, the queue drawn and as a table, the rule, and a link that comes back to it.
import { open } from '../lab.mjs';

export const name = 'the inspector explains a switch from the queue, and a link to the instant reopens it';

/** The names and figures of the table, row by row. */
const rowsOf = (table) => table.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.innerText.trim())));

export async function run(lab) {
  const { page, url, expect, ready, shot, axe } = lab;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(lab);
  const switches = page.getByRole('region', { name: 'Switches' });
  const why = page.getByRole('complementary', { name: 'Why' });

  // EEVDF: a preemption between two tasks.
  await switches.getByRole('button', { name: /B\s6\.12/ }).click();
  await switches.getByRole('button', { name: 'Preemptions' }).click();
  await switches.getByRole('option').nth(6).click();
  const table = why.getByRole('table');
  await expect.visible(table);
  const sentence = why.locator('.why');
  const [prev, next] = await why.locator('.facts .who').evaluateAll((whos) => whos.map((who) => who.lastChild.textContent));
  await expect.eventually(async () => {
    const text = await sentence.innerText();
    expect.ok(text.includes(prev) && text.includes(next), `${prev} and ${next}: ${text}`);
    expect.match(text, /eligible/);
  });
  expect.match(await table.locator('thead').innerText(), /lag[\s\S]*dl\s−\sV[\s\S]*slice[\s\S]*weight/);
  const rows = await rowsOf(table);
  expect.equal(rows[0][0], next, 'who was picked comes first');
  expect.equal(rows.map((row) => row.at(-1)).filter((state) => state === 'picked').length, 1);
  expect.ok(rows.some((row) => row[0] === prev && row.at(-1) === 'was running'), JSON.stringify(rows));
  // Lag and eligibility agree, and the picked one has the earliest deadline of the eligible.
  const figure = (text) => Number(text.replace('−', '-').replace(/[^\d-]/g, ''));
  for (const row of rows) if (row.at(-1) === 'ineligible') expect.ok(figure(row[1]) <= 0, row.join(' '));
  const eligible = rows.filter((row) => ['picked', 'eligible'].includes(row.at(-1)));
  expect.equal(Math.min(...eligible.map((row) => figure(row[2]))), figure(rows[0][2]));

  // The drawing: a row an entity, dots filled where eligible, bars, V.
  const drawing = why.locator('svg.queue');
  expect.equal(await drawing.getAttribute('aria-hidden'), 'true');
  expect.equal(await drawing.locator('circle').count(), rows.length);
  expect.match(await drawing.textContent(), /eligible.*V.*virtual time/);
  const dots = await drawing.locator('circle').evaluateAll((circles) => circles.map((circle) => Number(circle.getAttribute('cx'))));
  const order = rows.map((row) => -figure(row[1]));
  for (let a = 0; a < rows.length; a += 1) {
    for (let b = 0; b < rows.length; b += 1) if (order[a] < order[b]) expect.ok(dots[a] <= dots[b], 'dots stand in the order of vruntime');
  }

  // The rule leads to the model.
  const rule = why.getByRole('link', { name: /model\s§/ }).first();
  const href = await rule.getAttribute('href');
  expect.match(href, /^docs\/model\.md#s\d/);
  const model = await (await page.request.get(new URL(href, url).href)).text();
  expect.ok(model.includes(`<a id="${href.match(/#([\w.-]+)/)[1]}"></a>`), href);
  await axe('an explained switch');
  await shot('inspector-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await axe('an explained switch, dark');
  await shot('inspector-dark');
  await page.emulateMedia({ colorScheme: 'light' });

  // Steps and the way back.
  const instant = await why.locator('h2 .num').first().innerText();
  await why.getByRole('button', { name: /next/ }).click();
  await expect.eventually(async () => expect.ok((await why.locator('h2 .num').first().innerText()) !== instant));
  await why.getByRole('button', { name: /previous/ }).click();
  await expect.eventually(async () => expect.equal(await why.locator('h2 .num').first().innerText(), instant));

  // A link to this instant.
  await why.getByRole('button', { name: 'link to this instant' }).click();
  await expect.text(page.getByRole('region', { name: 'Results' }), /The link is copied/);
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect.match(link, /#s=1\.[^&]+&at=1\.0\.\d+$/);
  const said = await sentence.innerText();
  const elsewhere = await page.context().browser().newContext();
  try {
    const other = await elsewhere.newPage();
    await other.goto(link);
    const there = other.getByRole('complementary', { name: 'Why' });
    await expect.text(there.locator('h2').nth(1), new RegExp(instant.replace(/[\s.]/g, '.')));
    await expect.eventually(async () => expect.equal(await there.locator('.why').innerText(), said));
    expect.match(await there.innerText(), /B\s6\.12/);
  } finally {
    await elsewhere.close();
  }

  // CFS: dots by vruntime − min_vruntime, no deadlines.
  await switches.getByRole('button', { name: /A\s6\.5/ }).click();
  await expect.eventually(async () => expect.equal(await why.locator('svg.queue text.origin').textContent({ timeout: 1_000 }), 'min_vruntime'));
  expect.equal(await why.locator('svg.queue path').count(), 0, 'CFS has no deadlines');
  await expect.text(sentence, /smallest vruntime/);
  await ready();
}
