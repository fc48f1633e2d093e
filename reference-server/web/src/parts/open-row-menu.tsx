import { Menu } from "@mantine/core";
import type { RefObject } from "react";
import { useGo } from "../address/links";
import type { MenuProps } from "./later";

/** An action of one row: opens another screen, or a dialog. */
export interface RowAction {
  readonly label: string;
  /** The screen, below /admin. */
  readonly to?: string;
  readonly onSelect?: () => void;
  /** Why the person may not do it; the entry is disabled. */
  readonly refused?: string | undefined;
  /** Removes something. */
  readonly destructive?: boolean;
}

export interface RowMenuProps {
  /** What the row is called. */
  readonly name: string;
  /** Called when the menu opens. */
  readonly actions: () => readonly RowAction[];
  readonly buttonRef: RefObject<HTMLButtonElement | null>;
}

/** The menu of a row. */
export default function OpenRowMenu({ actions, buttonRef, button }: RowMenuProps & MenuProps) {
  const go = useGo();
  const focusButton = () => buttonRef.current?.focus({ preventScroll: true });
  return (
    <Menu
      defaultOpened
      position="bottom-end"
      keepMounted={false}
      withinPortal={false}
      returnFocus={false}
      onClose={() => {
        // A click elsewhere has moved the focus already.
        if (document.activeElement?.closest("[role=menu]") !== null) focusButton();
      }}
    >
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {actions().map(({ label, to, onSelect, destructive, refused }) => (
          <Menu.Item
            key={label}
            {...(destructive === true && { className: "menu-danger" })}
            {...(refused !== undefined && { disabled: true, title: refused })}
            onClick={() => {
              // First, because a dialog returns the focus to where it was.
              focusButton();
              if (to !== undefined) go(to);
              onSelect?.();
            }}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
