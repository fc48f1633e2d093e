import { Menu } from "@mantine/core";
import { useRef } from "react";
import { useGo } from "../address/links";
import { RowMenuButton } from "./row-menu-button";

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

/** A row's menu from the moment at which somebody opens it for the first time. */
export default function OpenRowMenu({ name, actions }: RowMenuProps) {
  const go = useGo();
  const button = useRef<HTMLButtonElement>(null);
  const focusButton = () => button.current?.focus({ preventScroll: true });
  return (
    <Menu
      defaultOpened
      position="bottom-end"
      keepMounted={false}
      withinPortal={false}
      returnFocus={false}
      onClose={() => {
        // A click elsewhere keeps the focus that it has given.
        if (document.activeElement?.closest("[role=menu]") !== null) focusButton();
      }}
    >
      <Menu.Target>
        <RowMenuButton name={name} ref={button} />
      </Menu.Target>
      <Menu.Dropdown>
        {actions().map(({ label, to, onSelect, destructive }) => (
          <Menu.Item
            key={label}
            {...(destructive === true && { className: "menu-danger" })}
            onClick={() => {
              // Before anything opens: a dialog gives the focus back to where it was.
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
