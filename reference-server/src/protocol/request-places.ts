/** Paths have far fewer segments; a longer one is not covered beyond that. */
const maxSegments = 64;

/** What a request prefix covers: an origin, and whole segments of a path. `undefined`: nothing, it is no plain address. */
export function coveredPlace(prefix: string): string | undefined {
  if (!URL.canParse(prefix)) return undefined;
  const { origin, pathname, search, hash, username } = new URL(prefix);
  if (search !== "" || hash !== "" || username !== "") return undefined;
  return origin + pathname.replace(/\/+$/, "");
}

/** Every place that would cover an address: its origin, and that with one segment of its path after the other. */
export function placesCovering({ origin, pathname }: URL): readonly string[] {
  const segments = pathname
    .replace(/\/+$/, "")
    .split("/")
    .slice(1, maxSegments + 1);
  let place = origin;
  return [origin, ...segments.map((segment) => (place += `/${segment}`))];
}
