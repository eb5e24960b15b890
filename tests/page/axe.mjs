// Accessibility checks by axe-core, with all its default rules.

/** Fails with rule, reason and elements if axe finds a violation in the page as it is now. */
export async function checkAccessibility(page, axeSource, what) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.addScriptTag({ content: axeSource });
  const { violations, passes } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  if (passes.length === 0) throw new Error(`axe found nothing to check in ${what}`);
  if (violations.length === 0) return;
  const lines = violations.flatMap(({ id, help, nodes }) => [
    `${id}: ${help}`,
    ...nodes.slice(0, 5).map((node) => `  ${node.target.join(' ')}: ${node.any[0]?.message ?? node.html.slice(0, 200)}`),
    ...(nodes.length > 5 ? [`  and ${nodes.length - 5} more`] : []),
  ]);
  throw new Error(`axe, ${what}:\n${lines.join('\n')}`);
}
