import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { RowHeights } from "./row-heights";

/** Lists up to this long are drawn as a whole: the browser's own search finds everything in them. */
const drawnWhole = 200;
/** Rows beyond either edge of the window, so that keys and a fast finger find something. */
const beyond = 5;
/** New rows in one frame at most: who drags the scroll bar sees them come, and the page answers meanwhile. */
const mostNew = 6;

/** A row, or the height of rows that are not drawn. */
export type DrawnRow = { readonly index: number } | { readonly gap: number; readonly before: number };

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Which rows of a long table are drawn while the page scrolls: those in the window, and the one that has the focus with its
 * neighbors, so that Tab goes on where it was. Rows are as high as they are: each is measured when it is drawn.
 *
 * @param body - the `tbody`; its rows have `data-index`
 * @param layout - changes when all rows get another height
 */
export function useWindowRows(
  count: number,
  { body, layout }: { readonly body: RefObject<HTMLTableSectionElement | null>; readonly layout: string },
): readonly DrawnRow[] {
  const isLong = count > drawnWhole;
  const measured = useRef({ layout, heights: new RowHeights() });
  if (measured.current.layout !== layout) measured.current = { layout, heights: new RowHeights() };
  const { heights } = measured.current;
  heights.setCount(count);
  const [range, setRange] = useState<Range>({ start: 0, end: drawnWhole });
  const [focused, setFocused] = useState<number>();
  const drawn = useRef(range);
  const later = useRef(0);

  const look = useCallback(() => {
    cancelAnimationFrame(later.current);
    const rows = measured.current.heights;
    if (body.current === null) return;
    const top = -body.current.getBoundingClientRect().top;
    const first = rows.at(top);
    const wanted = {
      start: Math.max(0, first - beyond),
      end: Math.min(count, rows.at(top + innerHeight) + 1 + beyond),
    };
    const next = approach(drawn.current, { wanted, first });
    const isThere = next.start === wanted.start && next.end === wanted.end;
    if (!isThere) later.current = requestAnimationFrame(look);
    if (next.start === drawn.current.start && next.end === drawn.current.end) return;
    drawn.current = next;
    setRange(next);
  }, [body, count]);

  useLayoutEffect(() => {
    if (isLong) measure(body.current, heights);
  });

  useEffect(() => {
    const element = body.current;
    if (!isLong || element === null) return undefined;
    look();
    let width = element.clientWidth;
    const resized = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      measured.current = { ...measured.current, heights: new RowHeights() };
      measured.current.heights.setCount(count);
      look();
    });
    resized.observe(element);
    const onFocus = (event: FocusEvent) => setFocused(indexOf(event.target));
    const onBlur = (event: FocusEvent) => setFocused(indexOf(event.relatedTarget));
    element.addEventListener("focusin", onFocus);
    element.addEventListener("focusout", onBlur);
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      cancelAnimationFrame(later.current);
      resized.disconnect();
      element.removeEventListener("focusin", onFocus);
      element.removeEventListener("focusout", onBlur);
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [body, count, isLong, look]);

  if (!isLong) return Array.from({ length: count }, (_, index) => ({ index }));
  return draw(range, { focused, heights, count });
}

/** The range that is drawn next on the way to the one that is wanted: what is in the window comes first. */
function approach(
  { start, end }: Range,
  { wanted, first }: { readonly wanted: Range; readonly first: number },
): Range {
  if (end <= wanted.start || start >= wanted.end) {
    return { start: first, end: Math.min(first + mostNew, wanted.end) };
  }
  let from = Math.max(start, wanted.start);
  let to = Math.min(end, wanted.end);
  let left = mostNew;
  const up = () => {
    const rows = Math.min(left, from - wanted.start);
    from -= rows;
    left -= rows;
  };
  if (first < from) up();
  const down = Math.min(left, wanted.end - to);
  to += down;
  left -= down;
  up();
  return { start: from, end: to };
}

function measure(body: HTMLTableSectionElement | null, heights: RowHeights): void {
  for (const row of body?.rows ?? []) {
    const index = indexOf(row);
    if (index !== undefined && !heights.isKnown(index)) heights.set(index, row.offsetHeight);
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
