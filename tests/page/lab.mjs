// What the page cases do with the page again and again. Not for assertions: those are in expect.mjs.

/** Opens the page and waits until its first run is done. */
export async function open({ page, url, ready }) {
  await page.goto(url);
  await ready();
  await page.getByRole('heading', { name: 'What changed' }).waitFor();
}

/** Shows a view of the scenario: Workload, Machine, Variants or Text. */
export async function show(page, view) {
  await page.getByRole('tab', { name: view }).click();
}

/** The text of the document, as the Text view has it. */
export async function documentText(page) {
  await show(page, 'Text');
  return page.getByLabel('The scenario document').inputValue();
}

/** Drops a file on the page. */
export async function drop(page, name, content) {
  const transfer = await page.evaluateHandle(
    ([name, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], name, { type: 'application/json' }));
      return transfer;
    },
    [name, content],
  );
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
}

/** How many pixels of a canvas differ from its corner. */
export async function inkOf(canvas) {
  return canvas.evaluate((element) => {
    const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height);
    let ink = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] !== data[0] || data[at + 1] !== data[1] || data[at + 2] !== data[2]) ink += 1;
    }
    return ink;
  });
}
