import type { SavedView, SavedViewList } from "@admin/views";
import { Menu } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useItem } from "../api/queries";
import { useGo, useScreenPath, useSearch } from "../app/links";
import { useText } from "../text/text";
import { Icon } from "./icon";

const ManageViews = lazy(() => import("./manage-views"));

/** The search, filters and order of a list as its address has them, always in the same order. */
export function queryOf(search: URLSearchParams): string {
  const sorted = new URLSearchParams(search);
  sorted.sort();
  return sorted.toString();
}

/** The views of a list that the administrator has saved, one of them perhaps shown now. */
export default function SavedViews({ list }: { readonly list: string }) {
  const t = useText();
  const go = useGo();
  const path = useScreenPath();
  const [search] = useSearch();
  const [managing, setManaging] = useState(false);
  const { data } = useItem<SavedViewList>("/views", { query: { list } });
  const views: readonly SavedView[] = data?.items ?? [];
  const query = queryOf(search);
  const current = query === "" ? undefined : views.find((view) => view.query === query);
  return (
    <>
      <Menu
        position="bottom-end"
        keepMounted={false}
        withinPortal={false}
        checkIcon={<Icon name="check" />}
        alignItemsLabels="with-indicators"
      >
        <Menu.Target>
          <button type="button" className="saved-views" data-active={current !== undefined}>
            <span>{current === undefined ? t("views.title") : t("views.named", { name: current.name })}</span>
            <Icon name="down" size={12} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <div role="group" aria-label={t("views.mine")}>
            <Menu.RadioItem value="" closeMenuOnClick checked={query === ""} onChange={() => go(path)}>
              {t("views.all")}
            </Menu.RadioItem>
            {views.map((view) => (
              <Menu.RadioItem
                key={view.id}
                value={view.id}
                closeMenuOnClick
                checked={view.id === current?.id}
                onChange={() => go(`${path}?${view.query}`)}
              >
                {view.name}
              </Menu.RadioItem>
            ))}
          </div>
          <Menu.Divider />
          <Menu.Item onClick={() => setManaging(true)}>{t("views.manage")}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {managing && (
        <Suspense>
          <ManageViews list={list} views={views} query={query} onClose={() => setManaging(false)} />
        </Suspense>
      )}
    </>
  );
}
