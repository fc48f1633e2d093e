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
  /** How many there are, on a first page that was asked for it. */
  readonly total?: number | undefined;
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // A refusal stays one; only a server that was not there is asked again.
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

/** How one object is asked for. */
export function itemOptions<T>(path: string, query: Query = {}) {
  return queryOptions({
    queryKey: [path, query],
    queryFn: ({ signal }) => request<T>(path, { query, signal }),
  });
}

interface ListOptions {
  readonly enabled?: boolean;
  /** How many items the first page has, and each that follows it. Without them the query says it, or the API. */
  readonly pages?: { readonly firstPage: number; readonly laterPage: number };
  /** Asks how many there are. */
  readonly counted?: boolean;
}

/** More pages than this are only read again after a change, and not whenever somebody comes back to the window. */
const fewPages = 5;

/** A list, page after page. The rows of the last question stay until the next ones are there. */
export function useList<T>(path: string, query: Query = {}, options: ListOptions = {}) {
  const { enabled = true } = options;
  return useInfiniteQuery({
    ...listOptions<T>(path, query, options),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= fewPages,
    enabled,
  });
}

/** How a list is asked for. */
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

/** Returns a function that forgets what was read below these paths: call it after every write. */
export function useForget(): (...paths: readonly string[]) => Promise<void> {
  const client = useQueryClient();
  return async (...paths) => {
    await client.invalidateQueries({
      predicate: ({ queryKey: [path] }) =>
        paths.some((prefix) => path === prefix || String(path).startsWith(`${prefix}/`)),
    });
  };
}
