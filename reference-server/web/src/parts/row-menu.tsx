import { useRef } from "react";
import { useText } from "../text/text";
import { menuLater } from "./later";
import type { RowMenuProps } from "./open-row-menu";

const OpenRowMenu = menuLater(() => import("./open-row-menu"));

/** The actions of one row, in a menu within reach of a thumb. */
export function RowMenu(props: Omit<RowMenuProps, "buttonRef">) {
  const t = useText();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <OpenRowMenu
      {...props}
      buttonRef={button}
      draw={(handlers) => (
        // Its dots are a background: an icon in each row would take a seventh of the time to scroll a long list.
        <button
          type="button"
          ref={button}
          className="row-menu"
          aria-label={t("parts.table.actions", { name: props.name })}
          {...handlers}
        />
      )}
    />
  );
}
