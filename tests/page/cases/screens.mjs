// The first view on every kind of screen, light and dark: no accessibility violation, nothing wider than the screen.
// Its screenshots are for people; the README shows one of them.
export const name = 'the first view is accessible and fits phone, laptop and large screens, light and dark';
export const timeout = 180_000;

const SCREENS = [
  [1440, 900],
  [390, 844],
  [2560, 1440],
];

export async function run({ page, url, expect, ready, shot, axe }) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of SCREENS) {
      await page.setViewportSize({ width, height });
      await page.goto('about:blank');
      await page.goto(url);
      await ready();
      await expect.visible(page.getByRole('complementary', { name: 'Why' }).getByRole('table'));
      const at = `${width}x${height}-${colorScheme}`;
      await shot(`page-${at}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect.ok(wide <= width, `${at}: the page is ${wide} px wide`);
      await axe(at);
    }
  }
}
