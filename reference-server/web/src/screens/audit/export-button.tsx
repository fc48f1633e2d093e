import { Button } from "@mantine/core";
import { Icon } from "../../parts/icon";
import { menuLater } from "../../parts/later";
import { useText } from "../../text/text";

const ExportMenu = menuLater(() => import("./export-menu"));

/** Opens the menu with the formats of a download. */
export function ExportButton() {
  const t = useText();
  return (
    <ExportMenu
      draw={(handlers) => (
        <Button variant="default" leftSection={<Icon name="down" />} {...handlers}>
          {t("audit.export")}
        </Button>
      )}
    />
  );
}
