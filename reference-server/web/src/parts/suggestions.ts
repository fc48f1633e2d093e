import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ListPage } from "../api/queries";
import { type Query, request } from "../api/request";

/** The first matches of a list of the API, for fields that suggest. Keeps the last ones while the next ones load. */
export function useSuggestions<T>(
  list: string,
  text: string,
  filters: Query = {},
  options: { readonly enabled?: boolean } = {},
): ListPage<T> {
  const [q] = useDebouncedValue(text.trim(), 150);
  const query = { limit: 20, ...filters, q };
  const { data } = useQuery({
    queryKey: [list, query, "suggestions"],
    queryFn: ({ signal }) => request<ListPage<T>>(list, { query, signal }),
    placeholderData: (previous) => previous,
    retry: false,
    enabled: options.enabled ?? true,
  });
  return data ?? { items: [], nextCursor: null };
}
