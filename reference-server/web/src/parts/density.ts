import { createStore, readSetting, useStore, writeSetting } from "../store";

const storageKey = "authz-dense-rows";
const dense = createStore(readSetting(storageKey) === "true");

/** Whether lists have one line for each row, and a function that changes it for all lists in this browser. */
export function useDensity(): readonly [boolean, (next: boolean) => void] {
  return [useStore(dense), change];
}

function change(next: boolean): void {
  dense.set(next);
  writeSetting(storageKey, String(next));
}
