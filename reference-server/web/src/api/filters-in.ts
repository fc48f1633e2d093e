import type { Query } from "./request";

/** Filters that the address says once each, under their names. */
export function filtersIn(search: URLSearchParams, ...names: readonly string[]): Query {
  return Object.fromEntries(names.map((name) => [name, search.get(name) ?? undefined]));
}
