import { Menu } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useGo, useScreenPath, useSearch } from "../app/links";
import { useText } from "../text/text";
import { Icon } from "./icon";
import { queryOf, type SavedViewsProps, SavedViewsButton } from "./saved-views";

const ManageViews = lazy(() => import("./manage-views"));

/** The menu of the saved views. */
export default function OpenSavedViews({ list, views, current }: SavedViewsProps) {
  const t = useText();
  const go = useGo();
  const path = useScreenPath();
  const [search] = useSearch();
  const [managing, setManaging] = useState(false);
  const query = queryOf(search);
  return (
    <>
      <Menu
        defaultOpened
        position="bottom-end"
        keepMounted={false}
        withinPortal={false}
        checkIcon={<Icon name="check" />}
        alignItemsLabels="with-indicators"
      >
        <Menu.Target>
          <SavedViewsButton current={current} />
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
