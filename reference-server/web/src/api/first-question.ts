import type { QueryClient } from "@tanstack/react-query";
import { itemOptions, listOptions } from "./queries";
import type { Query } from "./request";

/** What a screen asks the API for before it can show anything: an object, or what its table begins with. */
export type FirstQuestion = { readonly item: string } | TableQuestion;

interface TableQuestion {
  /** The list of the API: `/scopes`. */
  readonly list: string;
  /** The sort key that the API uses when nothing is said: `name` or `-at`. */
  readonly defaultSort: string;
  /** Beside search and sort. */
  readonly filters?: Query | undefined;
  /** The API does not count this list. */
  readonly uncounted?: boolean;
}

/** Rows of the first page, and of those that somebody gets by scrolling on. */
const pages = { firstPage: 50, laterPage: 200 };

/** How a table asks for its rows: what the address says, with the filters that the screen takes from it. */
export function tableQuestion(
  { defaultSort, filters, uncounted = false }: TableQuestion,
  search: URLSearchParams,
) {
  const found: Query = { ...filters, q: search.get("q") ?? "" };
  const sort = search.get("sort") ?? defaultSort;
  return { found, sort, options: { pages, counted: !uncounted } };
}

/** Asks ahead of a screen, which then finds the answer. Whatever goes wrong, the screen asks again. */
export async function askAhead(
  client: QueryClient,
  question: FirstQuestion,
  search: URLSearchParams,
): Promise<void> {
  if ("item" in question) return await client.prefetchQuery(itemOptions(question.item));
  const { found, sort, options } = tableQuestion(question, search);
  return await client.prefetchInfiniteQuery(listOptions(question.list, { ...found, sort }, options));
}
