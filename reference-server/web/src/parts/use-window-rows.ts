import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { startsAtTop } from "../address/place";
import { guess, RowHeights } from "./row-heights";

/** Lists up to this length are drawn as a whole, so that the browser's own search finds everything. */
const drawnWhole = 200;
/** Height above the rows of every screen: the bar, the title, the search and the head. */
const above = 200;
/** Drawn rows beyond an edge of the window, for the keyboard; and in the direction of scrolling, for fast fingers. Each row costs painting. */
const beyond = 1;
const beyondInDirection = 3;
/** New rows per frame, so that the page stays responsive while the scroll bar is dragged. */
const mostNew = 6;
/** New rows after a jump; the next frame may remove them again. */
const mostAfterJump = 3;
const othersAfterMilliseconds = 100;

/** A row, or the height of rows that are not drawn. */
export type DrawnRow = { readonly index: number } | { readonly gap: number; readonly before: number };

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The drawn rows of a table: at first those that a window can hold, then all of them, a few per frame. In a long table, only
 * the visible rows, and the focused one with its neighbors, so that Tab continues there. Rows have any height; each is
 * measured when it is drawn.
 *
 * @param body - the `tbody`; its rows have `data-index`
 * @param layout - changes when all rows get another height
 */
export function useWindowRows(
  count: number,
  { body, layout }: { readonly body: RefObject<HTMLTableSectionElement | null>; readonly layout: string },
): readonly DrawnRow[] {
  const measured = useRef({ layout, heights: new RowHeights() });
  if (measured.current.layout !== layout) measured.current = { layout, heights: new RowHeights() };
  const { heights } = measured.current;
  heights.setCount(count);
  const [range, setRange] = useState<Range>(firstRange);
  const [focused, setFocused] = useState<number>();
  const drawn = useRef(range);
  const way = useRef({ top: 0, isUp: false });
  const later = useRef(0);
  const isLong = count > drawnWhole;
  const isPart = isLong || range.start > 0 || range.end < count;

  const update = useCallback(() => {
    later.current = 0;
    const rows = measured.current.heights;
    if (body.current === null) return;
    const top = -body.current.getBoundingClientRect().top;
    const seen = { start: rows.at(top), end: Math.min(count, rows.at(top + innerHeight) + 1) };
    const { isUp } = way.current;
    way.current = { top, isUp: top === way.current.top ? isUp : top < way.current.top };
    const wanted = isLong ? around(seen, { count, isUp: way.current.isUp }) : { start: 0, end: count };
    const next = approach(drawn.current, { wanted, seen });
    const isThere = next.start === wanted.start && next.end === wanted.end;
    if (!isThere) later.current = requestAnimationFrame(update);
    if (next.start === drawn.current.start && next.end === drawn.current.end) return;
    drawn.current = next;
    setRange(next);
  }, [body, count, isLong]);

  useLayoutEffect(() => {
    if (isPart) measure(body.current, heights);
  });

  useEffect(() => {
    const element = body.current;
    if (!isPart || element === null) return undefined;
    // At most once per frame.
    const schedule = () => {
      if (later.current === 0) later.current = requestAnimationFrame(update);
    };
    // The visible rows are drawn first; the others follow once the page is responsive.
    const others = setTimeout(schedule, isLong ? 0 : othersAfterMilliseconds);
    let width = element.clientWidth;
    const resized = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      measured.current = { ...measured.current, heights: new RowHeights() };
      measured.current.heights.setCount(count);
      schedule();
    });
    resized.observe(element);
    const onFocus = (event: FocusEvent) => setFocused(indexOf(event.target));
    const onBlur = (event: FocusEvent) => setFocused(indexOf(event.relatedTarget));
    element.addEventListener("focusin", onFocus);
    element.addEventListener("focusout", onBlur);
    addEventListener("scroll", schedule, { passive: true });
    addEventListener("resize", schedule);
    return () => {
      clearTimeout(others);
      cancelAnimationFrame(later.current);
      later.current = 0;
      resized.disconnect();
      element.removeEventListener("focusin", onFocus);
      element.removeEventListener("focusout", onBlur);
      removeEventListener("scroll", schedule);
      removeEventListener("resize", schedule);
    };
  }, [body, count, isLong, isPart, update]);

  if (!isPart) return Array.from({ length: count }, (_, index) => ({ index }));
  return draw(range, { focused, heights, count });
}

/** As many rows as the window can hold; a restored scroll offset may need more. */
function firstRange(): Range {
  return { start: 0, end: startsAtTop() ? Math.ceil(Math.max(innerHeight - above, 0) / guess) : drawnWhole };
}

function around({ start, end }: Range, { count, isUp }: { readonly count: number; readonly isUp: boolean }) {
  return {
    start: Math.max(0, start - (isUp ? beyondInDirection : beyond)),
    end: Math.min(count, end + (isUp ? beyond : beyondInDirection)),
  };
}

/** The next range on the way to the wanted one; visible rows come first. */
function approach(
  { start, end }: Range,
  { wanted, seen }: { readonly wanted: Range; readonly seen: Range },
): Range {
  if (end <= seen.start || start >= seen.end) {
    return { start: seen.start, end: Math.min(seen.start + mostAfterJump, wanted.end) };
  }
  let from = Math.max(start, wanted.start);
  let to = Math.min(end, wanted.end);
  let left = mostNew;
  const up = () => {
    const rows = Math.min(left, from - wanted.start);
    from -= rows;
    left -= rows;
  };
  if (seen.start < from) up();
  const down = Math.min(left, wanted.end - to);
  to += down;
  left -= down;
  up();
  return { start: from, end: to };
}

function measure(body: HTMLTableSectionElement | null, heights: RowHeights): void {
  for (const row of body?.rows ?? []) {
    const index = row.dataset["index"];
    if (index === undefined || heights.isKnown(Number(index))) continue;
    // Fractions of pixels count: otherwise rows move slightly whenever a gap replaces one.
    heights.set(Number(index), row.getBoundingClientRect().height);
  }
}

function draw(
  { start, end }: Range,
  { focused, heights, count }: { focused: number | undefined; heights: RowHeights; count: number },
): readonly DrawnRow[] {
  const kept = focused === undefined ? [] : [focused - 1, focused, focused + 1];
  const wanted = [
    ...kept.filter((index) => index < start),
    ...Array.from({ length: end - start }, (_, index) => start + index),
    ...kept.filter((index) => index >= end),
  ];
  const drawn: DrawnRow[] = [];
  let next = 0;
  const skipTo = (index: number) => {
    if (index > next) drawn.push({ gap: heights.offset(index) - heights.offset(next), before: index });
  };
  for (const index of wanted) {
    if (index < 0 || index >= count) continue;
    skipTo(index);
    drawn.push({ index });
    next = index + 1;
  }
  skipTo(count);
  return drawn;
}

function indexOf(target: EventTarget | null): number | undefined {
  if (!(target instanceof Element)) return undefined;
  const { index } = target.closest<HTMLElement>("tr[data-index]")?.dataset ?? {};
  return index === undefined ? undefined : Number(index);
}
