import type { Connector } from "../store/connectors.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import { coveredPlace, placesCovering } from "../protocol/request-places.js";

/** What a request may name at most when it asks why or for access: more than a service has, and each that is missing costs a query. */
export const maximumScopes = 50;

/** Whether something can have this name: PostgreSQL stores no NUL in a text, and refuses it in a query. */
export function canExist(name: string): boolean {
  return !name.includes("\0");
}

export async function findConnector(
  key: string,
  { connectors }: Pick<Store, "connectors">,
): Promise<Connector | undefined> {
  return canExist(key) ? await connectors.findByKey(key) : undefined;
}

export async function findResource(
  key: string,
  { resources }: Pick<Store, "resources">,
): Promise<Resource | undefined> {
  return canExist(key) ? await resources.findByKey(key) : undefined;
}

/** An absolute address; `undefined` for everything else. */
export function readAddress(text: string): URL | undefined {
  return canExist(text) && URL.canParse(text) ? new URL(text) : undefined;
}

/** The enabled service whose prefix covers an address: whole segments of the path, the longest prefix wins. */
export async function findResourceAt(
  url: URL | undefined,
  { resources }: Pick<Store, "resources">,
): Promise<Resource | undefined> {
  if (url === undefined) return undefined;
  const services = (await resources.listEnabled()).filter(({ builtIn }) => !builtIn);
  for (const place of placesCovering(url).toReversed()) {
    const found = services.filter(({ requestPrefixes }) =>
      requestPrefixes.some((prefix) => coveredPlace(prefix) === place),
    );
    // Two services with the same prefix: neither is chosen.
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}
