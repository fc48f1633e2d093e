/** As many as one statement takes, so that none of them is large. */
const portion = 1_000;

/** Does the same for many, some at a time and in order; call it inside a transaction, so that all of it counts or nothing. */
export async function inPortions<Item, Result>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += portion) {
    // oxlint-disable-next-line no-await-in-loop -- one transaction has one connection
    results.push(...(await work(items.slice(start, start + portion))));
  }
  return results;
}
