import { type ComponentPropsWithRef, lazy, Suspense, useState } from "react";
import { useText } from "../text/text";

/** Something to do with one row: another screen, or a question that opens. */
export interface RowAction {
  readonly label: string;
  /** The screen, below /admin. */
  readonly to?: string;
  readonly onSelect?: () => void;
  /** Takes something away. */
  readonly destructive?: boolean;
}

export interface RowMenuProps {
  /** What the row is called. */
  readonly name: string;
  /** Asked when the menu opens. */
  readonly actions: () => readonly RowAction[];
}

const OpenRowMenu = lazy(() => import("./open-row-menu"));

/** What can be done with one row, in a menu that is within reach of a thumb. Until somebody opens it, it is a button alone. */
export function RowMenu(props: RowMenuProps) {
  const [wasOpened, setWasOpened] = useState(false);
  const button = <RowMenuButton name={props.name} onClick={() => setWasOpened(true)} />;
  if (!wasOpened) return button;
  return (
    <Suspense fallback={button}>
      <OpenRowMenu {...props} />
    </Suspense>
  );
}

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
