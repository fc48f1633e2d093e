import type { SavedView } from "@admin/views";
import { Menu } from "@mantine/core";
import { useState } from "react";
import { useGo, useScreenPath } from "../address/links";
import { useText } from "../text/text";
import { Icon } from "./icon";
import { later, type MenuProps } from "./later";

const ManageViews = later(() => import("./manage-views"));

/** The menu of the saved views. */
export default function OpenSavedViews(
  props: MenuProps & {
    readonly list: string;
    readonly views: readonly SavedView[];
    /** Search, filters and order of the list. */
    readonly query: string;
    /** The view that has this query. */
    readonly current: SavedView | undefined;
  },
) {
  const { list, views, query, current, button } = props;
  const t = useText();
  const go = useGo();
  const path = useScreenPath();
  const [managing, setManaging] = useState(false);
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
        <Menu.Target>{button}</Menu.Target>
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
      {managing && <ManageViews list={list} views={views} query={query} onClose={() => setManaging(false)} />}
    </>
  );
}
