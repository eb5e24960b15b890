// A trace of a kernel dropped on the page: imported in a worker with a report, replayed, and given up.
import { documentText, drop, open } from '../lab.mjs';

export const name = 'a dropped trace is imported with a report and replayed; an import can be stopped';
export const timeout = 120_000;

/** Two tasks that take turns on one CPU, as ftrace prints them. */
function trace(rounds) {
  const lines = ['# tracer: nop', '#'];
  const line = (at, who, text) => lines.push(`${who.padStart(16)} [000] d..2. ${(at / 1e6).toFixed(6)}: ${text}`);
  const swap = (at, prev, state, next) =>
    line(at, prev === 'idle' ? '<idle>-0' : `${prev}-${prev === 'app' ? 7 : 8}`,
      `sched_switch: prev_comm=${prev === 'idle' ? 'swapper/0' : prev} prev_pid=${{ idle: 0, app: 7, log: 8 }[prev]} prev_prio=120 prev_state=${state} ==> next_comm=${next === 'idle' ? 'swapper/0' : next} next_pid=${{ idle: 0, app: 7, log: 8 }[next]} next_prio=120`);
  for (let round = 0; round < rounds; round += 1) {
    const at = 1_000_000 + round * 4000;
    line(at, '<idle>-0', 'sched_waking: comm=app pid=7 prio=120 target_cpu=000');
    line(at + 1, '<idle>-0', 'sched_wakeup: comm=app pid=7 prio=120 target_cpu=000');
    swap(at + 3, 'idle', 'R', 'app');
    line(at + 900, 'app-7', 'sched_waking: comm=log pid=8 prio=120 target_cpu=000');
    line(at + 901, 'app-7', 'sched_wakeup: comm=log pid=8 prio=120 target_cpu=000');
    swap(at + 1000, 'app', 'S', 'log');
    swap(at + 1400, 'log', 'S', 'idle');
  }
  return `${lines.join('\n')}\n`;
}

export async function run(lab) {
  const { page, expect, ready, axe, shot } = lab;
  await open(lab);
  await drop(page, 'turns.txt', trace(500));
  const report = page.getByRole('region', { name: 'Import' });
  await expect.text(report, /Imported turns\.txt[\s\S]*demand of 2 tasks[\s\S]*How well a replay/);
  await expect.text(report.getByRole('table'), /switches\/s/);
  await expect.visible(page.getByRole('button', { name: /app/ }).first());
  await axe('the report of an import');
  await shot('import');
  await page.getByRole('button', { name: /Run/ }).first().click();
  await ready();
  await expect.text(page.getByRole('region', { name: 'Tasks', exact: true }), /app[\s\S]*log/);
  await report.getByRole('button', { name: 'Close the report' }).click();
  await expect.hidden(report);

  // What is no trace leaves everything as it is.
  const before = await documentText(page);
  await drop(page, 'empty.txt', '# tracer: nop\n#\n');
  await expect.text(page.getByRole('alert'), /empty\.txt cannot be imported/);
  expect.equal(await documentText(page), before);

  // A long one shows how far it is, keeps the page awake, and is given up at once.
  await page.evaluate((part) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(Array(60).fill(part), 'long.txt'));
    document.querySelector('main').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
  }, trace(4000));
  await page.evaluate(() => {
    window.longest = 0;
    let last = performance.now();
    window.watch = setInterval(() => {
      const now = performance.now();
      window.longest = Math.max(window.longest, now - last - 10);
      last = now;
    }, 10);
  });
  const progress = page.getByRole('progressbar', { name: 'Importing' });
  await expect.visible(progress);
  await page.getByRole('button', { name: 'Stop the import' }).click();
  await expect.hidden(progress, 500);
  const longest = await page.evaluate(() => {
    clearInterval(window.watch);
    return window.longest;
  });
  expect.ok(longest < 200, `the page was busy for ${longest} ms`);
  expect.equal(await documentText(page), before);
}
