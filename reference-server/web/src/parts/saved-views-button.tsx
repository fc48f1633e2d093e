import type { SavedView } from "@admin/views";
import type { ComponentPropsWithRef } from "react";
import { useText } from "../text/text";
import { Icon } from "./icon";

/** Says which of the saved views is shown. */
export function SavedViewsButton({
  current,
  ...rest
}: { readonly current: SavedView | undefined } & ComponentPropsWithRef<"button">) {
  const t = useText();
  return (
    <button type="button" className="saved-views" data-active={current !== undefined} {...rest}>
      <span>{current === undefined ? t("views.title") : t("views.named", { name: current.name })}</span>
      <Icon name="down" size={12} />
    </button>
  );
}
