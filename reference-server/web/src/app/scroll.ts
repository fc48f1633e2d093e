/** How far down each entry of the history was left, by its position. */
const left = new Map<number, number>();

/** Puts the browser's own restoring aside: it comes before a screen has its rows. Reloading stays with the browser. */
export function keepScroll(current: () => number): void {
  history.scrollRestoration = "manual";
  addEventListener("pagehide", () => {
    history.scrollRestoration = "auto";
  });
  addEventListener("pageshow", () => {
    history.scrollRestoration = "manual";
  });
  // A button of the browser changes the entry first; where its screen was left is known from scrolling.
  addEventListener("scroll", () => left.set(current(), scrollY), { passive: true });
}

/** Remembers where an entry is left; those after it in the history are gone. */
export function leaveEntry(position: number): void {
  left.set(position, scrollY);
  for (const other of left.keys()) if (other > position) left.delete(other);
}

/** Goes to where an entry was left, or to the top of a new one. */
export function placeScroll(position: number | undefined): void {
  scrollTo({ top: position === undefined ? 0 : (left.get(position) ?? 0), behavior: "instant" });
}
