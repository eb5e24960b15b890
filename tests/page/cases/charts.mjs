// Every chart is also a table, and its choices change what is drawn.
import { inkOf, open } from '../lab.mjs';

export const name = 'charts change with their choices, are tables too, and follow the theme';

export async function run(lab) {
  const { page, expect, axe } = lab;
  await open(lab);
  const delays = () => page.getByRole('region', { name: /Wake delay|Run delay/ });
  const canvas = () => delays().locator('canvas');
  const picture = () => canvas().evaluate((c) => c.toDataURL());
  await expect.eventually(async () => expect.ok((await inkOf(canvas())) > 500));
  const curve = await picture();
  await delays().getByRole('button', { name: 'Histogram' }).click();
  await expect.eventually(async () => expect.ok((await picture()) !== curve, 'the histogram is another picture'));
  await delays().getByRole('button', { name: 'Run', exact: true }).click();
  await expect.visible(page.getByRole('heading', { name: 'Run delay' }));

  await canvas().hover({ position: { x: 150, y: 90 } });
  await expect.text(page.locator('.reading'), /about .*\n/);

  const light = await picture();
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await expect.eventually(async () => expect.ok((await picture()) !== light, 'the chart is redrawn in the dark'));

  for (const chart of ['Run delay', 'Ran before preempted', 'Preemptions']) {
    const region = page.getByRole('region', { name: chart });
    await region.getByRole('button', { name: `${chart} as a table` }).click();
    expect.ok((await region.locator('tbody tr').count()) > 0, `${chart} has lines`);
  }
  await axe('the charts as tables');
}
