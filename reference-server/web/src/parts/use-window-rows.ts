import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Lists up to this long are drawn as a whole: the browser's own search finds everything in them. */
const drawnWhole = 200;
/** Rows beyond either edge of the window, so that keys and a fast finger find something. */
const beyond = 12;
/** Before any row is measured. */
const guess = 50;

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
  const heights = useRef<{ readonly layout: string; readonly known: Map<number, number>; sum: number }>({
    layout,
    known: new Map(),
    sum: 0,
  });
  if (heights.current.layout !== layout) heights.current = { layout, known: new Map(), sum: 0 };
  const [range, setRange] = useState<Range>({ start: 0, end: drawnWhole });
  const [focused, setFocused] = useState<number>();

  const look = useCallback(() => {
    if (body.current === null) return;
    const offsets = offsetsOf(heights.current, count);
    const top = -body.current.getBoundingClientRect().top;
    const start = Math.max(0, rowAt(offsets, top) - beyond);
    const end = Math.min(count, rowAt(offsets, top + innerHeight) + 1 + beyond);
    setRange((last) => (last.start === start && last.end === end ? last : { start, end }));
  }, [body, count]);

  useLayoutEffect(() => {
    if (!isLong) return;
    if (measure(body.current, heights.current)) look();
  });

  useEffect(() => {
    const element = body.current;
    if (!isLong || element === null) return undefined;
    look();
    let width = element.clientWidth;
    const resized = new ResizeObserver(() => {
      if (element.clientWidth !== width) {
        width = element.clientWidth;
        heights.current = { ...heights.current, known: new Map(), sum: 0 };
      }
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
      resized.disconnect();
      element.removeEventListener("focusin", onFocus);
      element.removeEventListener("focusout", onBlur);
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [body, isLong, look]);

  if (!isLong) return Array.from({ length: count }, (_, index) => ({ index }));
  return draw(range, { focused, offsets: offsetsOf(heights.current, count), count });
}

interface Heights {
  readonly known: Map<number, number>;
  sum: number;
}

/** Whether a row turned out to be as high as nobody knew. */
function measure(body: HTMLTableSectionElement | null, heights: Heights): boolean {
  let isNew = false;
  for (const row of body?.rows ?? []) {
    const index = indexOf(row);
    if (index === undefined || heights.known.has(index)) continue;
    const height = row.offsetHeight;
    heights.known.set(index, height);
    heights.sum += height;
    isNew = true;
  }
  return isNew;
}

/** Where each row begins below the first, and where the last one ends; what was never drawn is as high as others are on average. */
function offsetsOf({ known, sum }: Heights, count: number): Float64Array {
  const average = known.size === 0 ? guess : sum / known.size;
  const offsets = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) {
    offsets[index + 1] = (offsets[index] ?? 0) + (known.get(index) ?? average);
  }
  return offsets;
}

function rowAt(offsets: Float64Array, y: number): number {
  let low = 0;
  let high = offsets.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

function draw(
  { start, end }: Range,
  { focused, offsets, count }: { focused: number | undefined; offsets: Float64Array; count: number },
): readonly DrawnRow[] {
  const wanted = new Set<number>();
  if (focused !== undefined) for (const index of [focused - 1, focused, focused + 1]) wanted.add(index);
  for (let index = start; index < end; index++) wanted.add(index);
  const drawn: DrawnRow[] = [];
  let next = 0;
  const skipTo = (index: number) => {
    const gap = (offsets[index] ?? 0) - (offsets[next] ?? 0);
    if (index > next) drawn.push({ gap, before: index });
  };
  for (const index of [...wanted].sort((one, other) => one - other)) {
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
