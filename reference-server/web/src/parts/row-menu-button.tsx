import type { ComponentPropsWithRef } from "react";
import { useText } from "../text/text";

/** Its dots are its background: a drawing in each row would be a seventh of what it costs to scroll a long list. */
export function RowMenuButton({
  name,
  className = "",
  ...rest
}: { readonly name: string } & ComponentPropsWithRef<"button">) {
  const t = useText();
  return (
    <button
      type="button"
      className={`row-menu ${className}`}
      aria-haspopup="menu"
      aria-expanded={false}
      aria-label={t("parts.table.actions", { name })}
      {...rest}
    />
  );
}
