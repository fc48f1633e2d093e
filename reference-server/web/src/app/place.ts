import { useEffect, useRef, useSyncExternalStore } from "react";
import { keepScroll, leaveEntry, placeScroll } from "./scroll";

/** What the address says: where somebody is in the console. */
export interface Place {
  /** Below `/admin`, `/` for the first screen. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly search: string;
}

interface Guard {
  /** Whether something would be lost; asks the person. */
  readonly mayLeave: () => boolean;
  /** Whether the browser has to ask before the window is closed. */
  readonly holds: () => boolean;
}

const base = "/admin";
/** How long the screen before stays while the next one loads; then its outline is shown instead. */
const patienceMilliseconds = 200;

let place: Place = { path: "/", search: "" };
let position = 0;
let prepare: (path: string) => Promise<unknown> | undefined = () => undefined;
/** Counts up with each navigation, so that a screen that loads slowly does not replace one that was chosen after it. */
let attempt = 0;
let isReturning = false;
let isFromTop = true;
const guards = new Set<Guard>();
const listeners = new Set<() => void>();

/** The address of a screen; the first one has no slash at the end. */
export function toHref(to: string): string {
  return base + (to === "/" || to.startsWith("/?") ? to.slice(1) : to);
}

/**
 * Reads the address, and follows the buttons of the browser from now on.
 *
 * @param load - loads the screen of a path; `undefined` when it is there already
 */
export function followHistory(load: (path: string) => Promise<unknown> | undefined): void {
  prepare = load;
  place = readPlace();
  position = positionOf(history.state);
  keepScroll(() => position);
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

/** Loads what a screen needs before somebody goes there: the pointer is on its link. */
export function preload(to: string): void {
  void prepare(pathOf(to))?.catch(() => undefined);
}

/** Goes to a screen, unless somebody wants to stay with what was typed. */
export function goTo(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const { pathname, search } = new URL(toHref(to), location.origin);
  const leaving = isLeaving({ path: pathOf(pathname.slice(base.length)), search });
  if (leaving && !mayLeave()) return;
  if (replace) {
    history.replaceState({ position }, "", toHref(to));
  } else {
    leaveEntry(position);
    position += 1;
    history.pushState({ position }, "", toHref(to));
  }
  void arrive(leaving || !replace ? "top" : "stay");
}

export function currentPlace(): Place {
  return place;
}

/** Whether the screen is shown from its top, and not from where somebody left it. */
export function startsAtTop(): boolean {
  return isFromTop;
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => place);
}

/** Asks before somebody leaves the screen while something would be lost; other questions of the same screen are no leaving. */
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
    const patience = new Promise((resolve) => setTimeout(resolve, patienceMilliseconds));
    await Promise.race([loading.catch(() => undefined), patience]);
    if (own !== attempt) return;
  }
  place = next;
  isFromTop = scroll !== "keep";
  for (const listener of listeners) listener();
  if (scroll !== "stay") placeScroll(scroll === "keep" ? position : undefined);
}

function isLeaving(next: Place): boolean {
  return next.path !== place.path;
}

function mayLeave(): boolean {
  return [...guards].every((guard) => guard.mayLeave());
}

function readPlace(): Place {
  const { pathname, search } = location;
  return { path: pathOf(pathname.startsWith(base) ? pathname.slice(base.length) : pathname), search };
}

/** A slash at the end says nothing. */
function pathOf(to: string): string {
  const [path = ""] = to.split(/[?#]/);
  return path.replace(/\/+$/, "") || "/";
}

function positionOf(state: unknown): number {
  const { position: number } = (state ?? {}) as { readonly position?: unknown };
  return typeof number === "number" ? number : 0;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
