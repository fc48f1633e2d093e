interface Numbered {
  readonly id: string;
}

interface Page<Event> {
  readonly items: readonly Event[];
  readonly nextCursor: string | null;
}

/** Events of the first page kept while new ones arrive. */
const mostShown = 500;

/** The events of the newest page that are not shown yet, newest first. */
export function findNew<Event extends Numbered>(
  shown: readonly Event[],
  newest: Page<Event>,
): {
  readonly fresh: readonly Event[];
  /** More events happened between two polls than fit on one page. */
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
 * The pages of the list with the new events on top, ordered by number even if they were stored out of order. After a gap,
 * or with too many events, the list starts again with the newest page.
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
