import { Menu } from "@mantine/core";
import { apiHref } from "../../api/request";
import { useSearch } from "../../address/links";
import { useText } from "../../text/text";
import type { MenuProps } from "../../parts/later";
import { readFilter } from "./filter";

/** Downloads all events that the search finds, not only the loaded ones. */
export default function ExportMenu({ button }: MenuProps) {
  const t = useText();
  const [search] = useSearch();
  const query = { ...readFilter(search), q: search.get("q") ?? "" };
  const formats = [
    ["csv", t("audit.exportCsv")],
    ["ndjson", t("audit.exportNdjson")],
  ] as const;
  return (
    <Menu defaultOpened position="bottom-end" keepMounted={false}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("audit.exportHelp")}</Menu.Label>
        {formats.map(([format, label]) => (
          <Menu.Item
            key={format}
            component="a"
            href={apiHref("/audit-events/export", { ...query, format })}
            download={`audit.${format}`}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
