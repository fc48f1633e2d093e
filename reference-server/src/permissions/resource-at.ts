import { coveredPlace, placesCovering } from "../protocol/request-places.js";
import type { Resource } from "../store/resources.js";

/** The service whose prefix covers an address: whole segments of the path, the longest prefix wins. */
export function resourceAt(url: URL, resources: readonly Resource[]): Resource | undefined {
  const services = resources.filter(({ builtIn }) => !builtIn);
  for (const place of placesCovering(url).toReversed()) {
    const found = services.filter(({ requestPrefixes }) =>
      requestPrefixes.some((prefix) => coveredPlace(prefix) === place),
    );
    // Whose it is must not be guessed.
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}
