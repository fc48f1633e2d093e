import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useText } from "../../text/text";
import { Icon } from "../../parts/icon";

const loadMenu = () => import("./export-menu");
const ExportMenu = lazy(loadMenu);

/** Opens the menu of the formats, which loads when somebody points at it. */
export function ExportButton() {
  const t = useText();
  const [asked, setAsked] = useState(false);
  const button = (
    <Button
      variant="default"
      leftSection={<Icon name="down" />}
      aria-haspopup="menu"
      onPointerEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
      onClick={() => setAsked(true)}
    >
      {t("audit.export")}
    </Button>
  );
  return asked ? (
    <Suspense fallback={button}>
      <ExportMenu />
    </Suspense>
  ) : (
    button
  );
}
