// Everything without a mouse: change a task, run, read, walk through the preemptions.
import { open } from '../lab.mjs';

export const name = 'the page works by keyboard alone';

export async function run(lab) {
  const { page, expect, ready } = lab;
  await open(lab);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') || document.activeElement?.textContent?.trim() || '');
  const tabTo = async (pattern, most = 80) => {
    for (let presses = 0; presses < most; presses += 1) {
      await page.keyboard.press('Tab');
      if (pattern.test(await focused())) return;
    }
    throw new Error(`no Tab stop ${pattern}`);
  };
  await page.keyboard.press('Tab');
  expect.match(await focused(), /Skip to the results/);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  expect.ok(outline !== 'none', 'the focus is visible');

  await tabTo(/^Workload/);
  await page.keyboard.press('ArrowRight');
  expect.match(await focused(), /^Machine/);
  await page.keyboard.press('Home');
  await tabTo(/hog/);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('4');
  await page.keyboard.press('ControlOrMeta+Enter');
  await ready();
  await expect.text(page.getByRole('region', { name: 'Tasks', exact: true }), /hog:\(4\)/);

  // Leave the field: the keys of the page count again.
  await tabTo(/Context switches/, 200);
  const why = page.getByRole('complementary', { name: 'Why' });
  /** Presses a key and returns what the inspector says once it says something else. */
  const after = async (key) => {
    const before = await why.innerText();
    await page.keyboard.press(key);
    return expect.eventually(async () => {
      const text = await why.innerText();
      expect.ok(text !== before, `${key} selects another switch`);
      expect.ok(!text.includes('decided here'), 'the worker has explained it');
      return text;
    });
  };
  await after('ArrowDown');
  const there = await after('n');
  expect.match(there, /Reason\s+(tick|deadline|wakeup|ineligible|protection)/);
  await after('n');
  expect.equal(await after('p'), there, 'back where it was');
  await page.keyboard.press('ControlOrMeta+z');
  await expect.visible(page.getByRole('button', { name: /hog × 5/ }));
}
