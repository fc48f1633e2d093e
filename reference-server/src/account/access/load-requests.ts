import type { NamedRequest } from "../../pages/ask-section.js";
import type { AccessRequest } from "../../store/access-requests.js";
import type { Store } from "../../store/store.js";

/** Enough to find the last answers. */
const mostShown = 10;

/** What a person has asked for lately, the pending ones first. */
export async function loadRequests(
  userId: string,
  store: Pick<Store, "accessRequests" | "connectors" | "resources">,
): Promise<readonly NamedRequest[]> {
  const requests = await store.accessRequests.listOwn(userId, mostShown);
  return await Promise.all(
    requests.map(async (request) => ({ name: await nameOf(request, store), request })),
  );
}

async function nameOf(
  { kind, target }: Pick<AccessRequest, "kind" | "target">,
  { connectors, resources }: Pick<Store, "connectors" | "resources">,
): Promise<string | undefined> {
  if (kind === "installation") return undefined;
  const found = await (kind === "service" ? resources : connectors).findByKey(target);
  return found?.name ?? target;
}
