import { useSyncExternalStore } from "react";

const storageKey = "authz-dense-rows";
const listeners = new Set<() => void>();
let dense = read();

/** Whether lists have one line for each row, and a function that changes it: in this browser, for all lists. */
export function useDensity(): readonly [boolean, (next: boolean) => void] {
  const isDense = useSyncExternalStore(subscribe, () => dense);
  return [isDense, change];
}

function change(next: boolean): void {
  dense = next;
  try {
    localStorage.setItem(storageKey, String(next));
  } catch {
    // No storage: the choice lasts until the page is loaded again.
  }
  for (const listener of listeners) listener();
}

function read(): boolean {
  try {
    return localStorage.getItem(storageKey) === "true";
  } catch {
    return false;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
