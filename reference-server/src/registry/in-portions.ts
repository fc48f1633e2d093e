/** Most rows of one statement. */
const portion = 1_000;

/** Runs work on portions of a list, in order. Call it inside a transaction, so that all of it counts or none. */
export async function inPortions<Item, Result>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += portion) {
    results.push(...(await work(items.slice(start, start + portion))));
  }
  return results;
}
