import type { SavedView, SavedViewList } from "@admin/views";
import { type ComponentPropsWithRef, lazy, Suspense, useState } from "react";
import { useItem } from "../api/queries";
import { useSearch } from "../app/links";
import { useText } from "../text/text";
import { Icon } from "./icon";

/** The search, filters and order of a list as its address has them, always in the same order. */
export function queryOf(search: URLSearchParams): string {
  const sorted = new URLSearchParams(search);
  sorted.sort();
  return sorted.toString();
}

export interface SavedViewsProps {
  readonly list: string;
  readonly views: readonly SavedView[];
  /** The one that is shown now. */
  readonly current: SavedView | undefined;
}

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
      <OpenSavedViews list={list} views={views} current={current} />
    </Suspense>
  );
}

export function SavedViewsButton({
  current,
  ...rest
}: Pick<SavedViewsProps, "current"> & ComponentPropsWithRef<"button">) {
  const t = useText();
  return (
    <button type="button" className="saved-views" data-active={current !== undefined} {...rest}>
      <span>{current === undefined ? t("views.title") : t("views.named", { name: current.name })}</span>
      <Icon name="down" size={12} />
    </button>
  );
}
