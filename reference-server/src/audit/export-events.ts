import type { Store } from "../store/store.js";
import { auditLine } from "./canonical.js";
import { readSeals, sealLine } from "./seal.js";

const pageSize = 1_000;

/**
 * The audit trail as lines of JSON, oldest first, each as `auditLine` writes it.
 *
 * Read page by page: the size of the trail does not matter.
 */
export async function* exportEvents(
  store: Pick<Store, "auditEvents">,
  time: { readonly from?: Date; readonly until?: Date } = {},
): AsyncGenerator<string> {
  const bounds = await store.auditEvents.findBounds(time);
  if (bounds === undefined) return;
  let afterId = String(BigInt(bounds.firstId) - 1n);
  for (;;) {
    const range = { ...time, afterId, throughId: bounds.lastId, limit: pageSize };
    const page = await store.auditEvents.read(range);
    for (const record of page) yield auditLine(record);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    afterId = last.id;
  }
}

/** The seals as lines of JSON, oldest first: with the exported events all that an auditor needs to check the chain. */
export async function* exportSeals(store: Pick<Store, "auditSeals">): AsyncGenerator<string> {
  for await (const seal of readSeals(store, { afterId: 0 })) yield sealLine(seal);
}
