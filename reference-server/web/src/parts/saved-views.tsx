import type { SavedView, SavedViewList } from "@admin/views";
import { lazy, Suspense, useState } from "react";
import { useItem } from "../api/queries";
import { useSearch } from "../address/links";
import { SavedViewsButton } from "./saved-views-button";

const loadMenu = () => import("./open-saved-views");
const OpenSavedViews = lazy(loadMenu);

/** The views of a list that the administrator has saved, one of them perhaps shown now; their menu loads when somebody points at it. */
export default function SavedViews({ list }: { readonly list: string }) {
  const [search] = useSearch();
  const [wasOpened, setWasOpened] = useState(false);
  const { data } = useItem<SavedViewList>("/views", { query: { list } });
  const views: readonly SavedView[] = data?.items ?? [];
  const query = queryOf(search);
  const current = query === "" ? undefined : views.find((view) => view.query === query);
  const button = (
    <SavedViewsButton
      current={current}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
      onClick={() => setWasOpened(true)}
    />
  );
  if (!wasOpened) return button;
  return (
    <Suspense fallback={button}>
      <OpenSavedViews list={list} views={views} query={query} current={current} />
    </Suspense>
  );
}

/** The search, filters and order of a list as its address has them, always in the same order. */
function queryOf(search: URLSearchParams): string {
  const sorted = new URLSearchParams(search);
  sorted.sort();
  return sorted.toString();
}
