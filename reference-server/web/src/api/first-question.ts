import type { QueryClient } from "@tanstack/react-query";
import { itemOptions, listOptions } from "./queries";
import type { Query } from "./request";

/** The first request of a screen: an object, or the beginning of a list. */
export type FirstQuestion = { readonly item: string } | TableQuestion;

interface TableQuestion {
  /** The list of the API: `/scopes`. */
  readonly list: string;
  /** The API's default sort key: `name` or `-at`. */
  readonly defaultSort: string;
  /** Beside search and sort. */
  readonly filters?: Query | undefined;
  /** The API does not count this list. */
  readonly uncounted?: boolean;
}

/** Rows of the first page, and of those loaded while scrolling. */
const pages = { firstPage: 50, laterPage: 200 };

/** The query of a table: search and sort of the address, with the filters of the screen. */
export function tableQuestion(
  { defaultSort, filters, uncounted = false }: TableQuestion,
  search: URLSearchParams,
) {
  const found: Query = { ...filters, q: search.get("q") ?? "" };
  const sort = search.get("sort") ?? defaultSort;
  return { found, sort, options: { pages, counted: !uncounted } };
}

/** Prefetches for a screen that still loads. The screen asks again if this fails. */
export async function prefetch(
  client: QueryClient,
  question: FirstQuestion,
  search: URLSearchParams,
): Promise<void> {
  if ("item" in question) return await client.prefetchQuery(itemOptions(question.item));
  const { found, sort, options } = tableQuestion(question, search);
  return await client.prefetchInfiniteQuery(listOptions(question.list, { ...found, sort }, options));
}
