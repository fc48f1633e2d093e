import { useEffect, useRef } from "react";
import { createStore, useStore } from "../store";

/** A screen's address, without the host and the base path. */
export interface Place {
  /** Below `/admin`, `/` for the first screen. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly search: string;
}

interface Guard {
  /** Asks the person whether unsaved changes may be lost; `true` when there are none. */
  readonly mayLeave: () => boolean;
  /** Whether the browser has to ask before the window is closed. */
  readonly holds: () => boolean;
}

const base = "/admin";
/** How long the previous screen stays while the next one loads; after that, the outline of a screen is shown. */
const graceMilliseconds = 200;

const place = createStore<Place>({ path: "/", search: "" });
/** The index of the current entry in the browser's history. */
let position = 0;
/** Scroll offsets of the history's entries, by their positions. */
const offsets = new Map<number, number>();
let prepare: (path: string) => Promise<unknown> | undefined = () => undefined;
/** Counts navigations, so that a slow screen does not replace one that was chosen after it. */
let attempt = 0;
let isReturning = false;
let isFromTop = true;
const guards = new Set<Guard>();

/** The address of a screen; the first one has no slash at the end. */
export function toHref(to: string): string {
  return base + (to === "/" || to.startsWith("/?") ? to.slice(1) : to);
}

/**
 * Reads the address and handles the browser's back and forward buttons from now on.
 *
 * @param load - loads the screen of a path; `undefined` when it is loaded already
 */
export function followHistory(load: (path: string) => Promise<unknown> | undefined): void {
  prepare = load;
  place.set(readPlace());
  position = positionOf(history.state);
  keepScroll();
  addEventListener("popstate", (event) => {
    const next = positionOf(event.state);
    if (isReturning) {
      isReturning = false;
      return;
    }
    if (isLeaving(readPlace()) && !mayLeave()) {
      isReturning = true;
      history.go(position - next);
      return;
    }
    position = next;
    void arrive("keep");
  });
  addEventListener("beforeunload", (event) => {
    if ([...guards].some(({ holds }) => holds())) event.preventDefault();
  });
}

/** Loads a screen before navigation, because the pointer is on a link to it. */
export function preload(to: string): void {
  void prepare(pathOf(to))?.catch(() => undefined);
}

/** Goes to a screen, unless the person wants to keep unsaved changes. */
export function goTo(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const { pathname, search } = new URL(toHref(to), location.origin);
  const leaving = isLeaving({ path: pathOf(pathname.slice(base.length)), search });
  if (leaving && !mayLeave()) return;
  if (replace) {
    history.replaceState({ position }, "", toHref(to));
  } else {
    offsets.set(position, scrollY);
    // A new entry removes those after the current one from the history.
    for (const other of offsets.keys()) if (other > position) offsets.delete(other);
    position += 1;
    history.pushState({ position }, "", toHref(to));
  }
  void arrive(leaving || !replace ? "top" : "stay");
}

export function currentPlace(): Place {
  return place.get();
}

/** Whether the screen starts at its top instead of a remembered scroll offset. */
export function startsAtTop(): boolean {
  return isFromTop;
}

export function usePlace(): Place {
  return useStore(place);
}

/** Asks before a navigation loses unsaved changes; a new query on the same path loses nothing. */
export function useGuard(guard: Guard): void {
  const latest = useRef(guard);
  latest.current = guard;
  useEffect(() => {
    const own: Guard = {
      mayLeave: () => latest.current.mayLeave(),
      holds: () => latest.current.holds(),
    };
    guards.add(own);
    return () => {
      guards.delete(own);
    };
  }, []);
}

async function arrive(scroll: "top" | "keep" | "stay"): Promise<void> {
  attempt += 1;
  const own = attempt;
  const next = readPlace();
  const loading = prepare(next.path);
  if (loading !== undefined) {
    const grace = new Promise((resolve) => setTimeout(resolve, graceMilliseconds));
    await Promise.race([loading.catch(() => undefined), grace]);
    if (own !== attempt) return;
  }
  isFromTop = scroll !== "keep";
  place.set(next);
  if (scroll === "stay") return;
  scrollTo({ top: scroll === "keep" ? (offsets.get(position) ?? 0) : 0, behavior: "instant" });
}

/** Turns off the browser's scroll restoration, which runs before a screen has its rows; except for reloads. */
function keepScroll(): void {
  history.scrollRestoration = "manual";
  addEventListener("pagehide", () => {
    history.scrollRestoration = "auto";
  });
  addEventListener("pageshow", () => {
    history.scrollRestoration = "manual";
  });
  // Back and forward change the entry before `popstate`, so offsets are recorded while scrolling.
  addEventListener("scroll", () => offsets.set(position, scrollY), { passive: true });
}

function isLeaving(next: Place): boolean {
  return next.path !== place.get().path;
}

function mayLeave(): boolean {
  return [...guards].every((guard) => guard.mayLeave());
}

function readPlace(): Place {
  const { pathname, search } = location;
  return { path: pathOf(pathname.startsWith(base) ? pathname.slice(base.length) : pathname), search };
}

/** The path without query, fragment and trailing slashes. */
function pathOf(to: string): string {
  const [path = ""] = to.split(/[?#]/);
  return path.replace(/\/+$/, "") || "/";
}

function positionOf(state: unknown): number {
  const { position: number } = (state ?? {}) as { readonly position?: unknown };
  return typeof number === "number" ? number : 0;
}
