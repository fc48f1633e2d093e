import type { SavedView, SavedViewList } from "@admin/views";
import { useSearch } from "../address/links";
import { useItem } from "../api/queries";
import { useText } from "../text/text";
import { Icon } from "./icon";
import { menuLater } from "./later";

const OpenSavedViews = menuLater(() => import("./open-saved-views"));

/** Opens the menu of the views that the administrator has saved for a list; its label names the current one. */
export default function SavedViews({ list }: { readonly list: string }) {
  const t = useText();
  const [search] = useSearch();
  const { data } = useItem<SavedViewList>("/views", { query: { list } });
  const views: readonly SavedView[] = data?.items ?? [];
  const query = queryOf(search);
  const current = query === "" ? undefined : views.find((view) => view.query === query);
  return (
    <OpenSavedViews
      list={list}
      views={views}
      query={query}
      current={current}
      draw={(handlers) => (
        <button type="button" className="saved-views" data-active={current !== undefined} {...handlers}>
          <span>{current === undefined ? t("views.title") : t("views.named", { name: current.name })}</span>
          <Icon name="down" size={12} />
        </button>
      )}
    />
  );
}

/** Search, filters and order in the address of a list, sorted by name. */
function queryOf(search: URLSearchParams): string {
  const sorted = new URLSearchParams(search);
  sorted.sort();
  return sorted.toString();
}
