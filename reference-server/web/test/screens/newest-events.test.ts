import { describe, expect, test } from "vitest";
import { findNew, putOnTop } from "../../src/screens/audit/newest-events.js";

const page = (from: number, to: number, nextCursor: string | null = "older") => ({
  items: Array.from({ length: from - to + 1 }, (_, index) => ({ id: String(from - index) })),
  nextCursor,
});
const ids = (pages: readonly { readonly items: readonly { readonly id: string }[] }[]) =>
  pages.flatMap(({ items }) => items.map(({ id }) => Number(id)));

describe("new events", () => {
  test("are those not shown and newer than the oldest shown one", () => {
    expect(findNew(page(10, 5).items, page(12, 7))).toEqual({ fresh: page(12, 11).items, gap: false });
    expect(findNew(page(10, 5).items, page(10, 3))).toEqual({ fresh: [], gap: false });
  });

  test("are all events if none is shown", () => {
    expect(findNew([], page(3, 1, null))).toEqual({ fresh: page(3, 1).items, gap: false });
  });

  test("include those stored out of order", () => {
    const shown = [{ id: "10" }, { id: "8" }];
    expect(findNew(shown, page(10, 8)).fresh).toEqual([{ id: "9" }]);
  });

  test("may exceed one page", () => {
    expect(findNew(page(10, 5).items, page(40, 20)).gap).toBe(true);
    expect(findNew(page(10, 5).items, page(16, 11, null)).gap).toBe(false);
  });
});

describe("the list", () => {
  test("gets new events on top, in order, and keeps later pages", () => {
    const pages = [{ ...page(10, 8), items: [{ id: "10" }, { id: "8" }] }, page(7, 5)];
    const merged = putOnTop(pages, page(11, 9));
    expect(ids(merged)).toEqual([11, 10, 9, 8, 7, 6, 5]);
    expect(merged[1]).toBe(pages[1]);
    expect(merged[0]?.nextCursor).toBe("older");
  });

  test("starts again after a gap, with the cursor for older events", () => {
    const newest = page(90, 41, "after 41");
    expect(putOnTop([page(10, 5), page(4, 1)], newest)).toEqual([newest]);
  });

  test("keeps at most 500 events on its first page", () => {
    let pages: readonly ReturnType<typeof page>[] = [page(50, 1)];
    for (let newestId = 60; newestId < 5_000; newestId += 10) {
      pages = putOnTop(pages, page(newestId, newestId - 49));
      expect(ids(pages).length).toBeLessThanOrEqual(500);
      expect(ids(pages)[0]).toBe(newestId);
    }
  });
});
