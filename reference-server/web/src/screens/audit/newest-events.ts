interface Numbered {
  readonly id: string;
}

interface Page<Event> {
  readonly items: readonly Event[];
  readonly nextCursor: string | null;
}

/** Events of the first page that stay in memory while new ones arrive above them. */
const mostShown = 500;

/** What a look at the newest page found that is not shown yet, newest first. */
export function findNew<Event extends Numbered>(
  shown: readonly Event[],
  newest: Page<Event>,
): {
  readonly fresh: readonly Event[] /** More happened between two looks than one page holds. */;
  readonly gap: boolean;
} {
  const known = new Set(shown.map(({ id }) => id));
  const oldest = shown.at(-1);
  const isNewer = ({ id }: Event) => oldest === undefined || BigInt(id) > BigInt(oldest.id);
  const fresh = newest.items.filter((event) => !known.has(event.id) && isNewer(event));
  const gap = shown.length > 0 && newest.nextCursor !== null && fresh.length === newest.items.length;
  return { fresh, gap };
}

/**
 * The pages of the list with the new events on top. An event that was stored later than one with a higher number takes its
 * place in the order. After a gap, and when there are too many, the list begins again with the newest page.
 */
export function putOnTop<Event extends Numbered, Shown extends Page<Event>>(
  pages: readonly Shown[],
  newest: Shown,
): readonly Shown[] {
  const [first, ...later] = pages;
  if (first === undefined) return [newest];
  const { fresh, gap } = findNew(first.items, newest);
  if (gap || first.items.length + fresh.length > mostShown) return [newest];
  const items = [...fresh, ...first.items].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
  return [{ ...first, items }, ...later];
}
