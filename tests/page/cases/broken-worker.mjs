// A worker that cannot be loaded, or is of another build, is told in words; the page stays usable.
import { documentText } from '../lab.mjs';

export const name = 'a worker that fails or is of another build is told, and the page stays usable';
export const expectedErrors = [/does not work today/];

export async function run({ page, url, expect }) {
  const instead = (body) => (route) => route.fulfill({ contentType: 'text/javascript', body });

  await page.route('**/schedlab-worker_loader.js', instead('throw new Error("does not work today")'));
  await page.goto(url);
  await expect.text(page.getByRole('alert').first(), /A worker failed: .*does not work today/);
  await expect.hidden(page.getByRole('progressbar'));
  expect.match(await documentText(page), /sleeper/);

  // Another build: the page is loaded anew once, and when that does not help it says so.
  await page.unroute('**/schedlab-worker_loader.js');
  await page.route('**/schedlab-worker_loader.js', instead('postMessage("schedlab-worker 0123456789abcdef")'));
  // Requests of the document are counted, not `load` events: the page may ask to be loaded anew before its first has come.
  let loads = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) loads += 1;
  });
  await page.goto('about:blank');
  loads = 0;
  await page.goto(url).catch((error) => {
    if (!/interrupted|ERR_ABORTED/.test(error.message)) throw error;
  });
  await expect.text(page.getByRole('alert').first(), /of different versions/);
  expect.equal(loads, 2, 'it was loaded anew once');

  // And when all is well again, so is the page.
  await page.unroute('**/schedlab-worker_loader.js');
  await page.reload();
  await expect.visible(page.getByRole('heading', { name: 'What changed' }));
  await expect.hidden(page.getByRole('alert'));
}
