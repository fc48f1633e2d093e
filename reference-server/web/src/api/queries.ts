import type { Impact, ScopeImpact } from "@admin-http/impact-schema";
import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { ApiError } from "./api-error";
import { type Query, request } from "./request";

export type { Impact, ScopeImpact };

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  /** The number of all items; only on a first page that was requested with it. */
  readonly total?: number | undefined;
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Only an unreachable server is retried; a refusal is final.
        retry: (count, error) =>
          count < 2 && error instanceof ApiError && [0, 502, 503].includes(error.status),
      },
    },
  });
}

/** One object: `useItem<Scope>("/scopes/contracts%3Aread")`. */
export function useItem<T>(
  path: string,
  options: { readonly query?: Query; readonly enabled?: boolean } = {},
) {
  const { query, enabled = true } = options;
  return useQuery({ ...itemOptions<T>(path, query), enabled });
}

/** The query of one object. */
export function itemOptions<T>(path: string, query: Query = {}) {
  return queryOptions({
    queryKey: [path, query],
    queryFn: ({ signal }) => request<T>(path, { query, signal }),
  });
}

interface ListOptions {
  readonly enabled?: boolean;
  /** Sizes of the first page and of later ones; otherwise the query or the API decides. */
  readonly pages?: { readonly firstPage: number; readonly laterPage: number };
  /** Requests the number of all items. */
  readonly counted?: boolean;
}

/** Lists with more pages are read again only after a change, not when the window gets the focus. */
const fewPages = 5;

/** A list, page by page. The rows of the previous query stay until the next ones have loaded. */
export function useList<T>(path: string, query: Query = {}, options: ListOptions = {}) {
  const { enabled = true } = options;
  return useInfiniteQuery({
    ...listOptions<T>(path, query, options),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= fewPages,
    enabled,
  });
}

/** The query of a list. */
export function listOptions<T>(path: string, query: Query, { pages, counted = false }: ListOptions) {
  const paging = (cursor: string | undefined): Query => ({
    ...(pages !== undefined && { limit: cursor === undefined ? pages.firstPage : pages.laterPage }),
    ...(counted && cursor === undefined && { total: true }),
    cursor,
  });
  return infiniteQueryOptions({
    queryKey: [path, query],
    queryFn: ({ pageParam, signal }) =>
      request<ListPage<T>>(path, { query: { ...query, ...paging(pageParam) }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** Returns a function that invalidates everything read below these paths. Call it after every write. */
export function useForget(): (...paths: readonly string[]) => Promise<void> {
  const client = useQueryClient();
  return async (...paths) => {
    await client.invalidateQueries({
      predicate: ({ queryKey: [path] }) =>
        paths.some((prefix) => path === prefix || String(path).startsWith(`${prefix}/`)),
    });
  };
}
