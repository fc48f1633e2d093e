import { Button, Menu } from "@mantine/core";
import { apiHref } from "../../api/request";
import { useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { Icon } from "../../parts/icon";
import { readFilter } from "./filter";

/** Downloads everything that the search finds, not only what is on the screen. */
export default function ExportMenu() {
  const t = useText();
  const [search] = useSearch();
  const query = { ...readFilter(search), q: search.get("q") ?? "" };
  const formats = [
    ["csv", t("audit.exportCsv")],
    ["ndjson", t("audit.exportNdjson")],
  ] as const;
  return (
    <Menu defaultOpened position="bottom-end" keepMounted={false}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="down" />}>
          {t("audit.export")}
        </Button>
      </Menu.Target>
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
