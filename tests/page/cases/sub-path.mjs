// The page works under a sub-path of a host: nothing in it is addressed from the host's root.
export const name = 'the page opens under a sub-path and runs its first scenario there';

export async function run({ page, subUrl, expect, ready }) {
  const asked = [];
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === new URL(subUrl).origin) asked.push(pathname);
  });
  await page.goto(subUrl);
  await ready();
  const base = new URL(subUrl).pathname;
  const outside = asked.filter((path) => !path.startsWith(base) && path !== '/favicon.ico');
  expect.equal(outside, [], 'every file is asked for under the sub-path');
  expect.ok(asked.filter((path) => path.endsWith('.wasm')).length >= 2, 'page and worker are both loaded');
}
