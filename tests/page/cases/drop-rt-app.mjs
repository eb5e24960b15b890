// The way most people come: a file of rt-app is dropped on the page and run under both kernels.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { drop, inkOf, open } from '../lab.mjs';

export const name = 'a dropped rt-app file runs under both kernels';

export async function run(lab) {
  const { page, expect, shot, sharedDir, skip, ready } = lab;
  if (!sharedDir) skip('rt-app\'s own examples are not beside the project');
  await open(lab);
  const file = path.join(sharedDir, 'rt-app-examples', 'browser-short.json');
  await drop(page, 'browser-short.json', await readFile(file, 'utf8'));
  await expect.text(page.getByRole('region', { name: 'Results' }), /Opened browser-short\.json/);
  await expect.visible(page.getByRole('button', { name: /BrowserMain/ }));
  await page.getByRole('button', { name: /Run/ }).first().click();
  await ready();
  const tasks = page.getByRole('region', { name: 'Tasks', exact: true });
  await expect.text(tasks, /BrowserMain/);
  const changes = page.getByRole('region', { name: 'What changed' });
  await expect.text(changes, /A\s6\.5[\s\S]*B\s6\.12/);
  for (const chart of ['Wake delay', 'Preemptions']) {
    const canvas = page.getByRole('region', { name: chart }).locator('canvas');
    await expect.eventually(async () => expect.ok((await inkOf(canvas)) > 500, `${chart} is drawn`));
  }
  await shot('rt-app');
}
