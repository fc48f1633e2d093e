import type { ComboboxParsedItem } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ListPage } from "../api/queries";
import { type Route, useMay } from "../api/session";
import { type Query, request } from "../api/request";

interface Suggestions<T> {
  /** Empty until the results are for the current text: earlier results could be chosen by mistake. */
  readonly items: readonly T[];
  readonly waiting: boolean;
}

/** The first matches of a list of the API, for fields with suggestions. */
export function useSuggestions<T>(
  list: string,
  text: string,
  filters: Query = {},
  options: { readonly enabled?: boolean } = {},
): Suggestions<T> {
  const typed = text.trim();
  const [q] = useDebouncedValue(typed, 150);
  const may = useMay();
  const enabled = (options.enabled ?? true) && may(`GET ${list}` as Route);
  const query = { limit: 20, ...filters, q };
  const { data, isPending } = useQuery({
    queryKey: [list, query, "suggestions"],
    queryFn: ({ signal }) => request<ListPage<T>>(list, { query, signal }),
    retry: false,
    enabled,
    // Enter takes the suggestion at the current position, so suggestions must not move.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const waiting = enabled && (q !== typed || isPending);
  return { items: waiting ? [] : (data?.items ?? []), waiting };
}

/** The found options; the current value is an option as well, but no suggestion for other text. */
export function onlyFound(
  options: readonly ComboboxParsedItem[],
  found: readonly string[],
): ComboboxParsedItem[] {
  return options.filter((option) => "value" in option && found.includes(option.value));
}
