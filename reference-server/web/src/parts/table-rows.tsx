import { Checkbox } from "@mantine/core";
import type { MouseEvent } from "react";
import { useGo } from "../app/links";
import { useText } from "../text/text";
import type { ResourceTableProps } from "./resource-table";

const placeholderRows = Array.from({ length: 8 }, (_, index) => index);

/** The body of a table; grey bars of the same height while the first page loads. */
export function TableRows<T>(
  props: ResourceTableProps<T> & {
    readonly items: readonly T[];
    readonly loading: boolean;
    readonly selectedIds: ReadonlySet<string>;
    readonly onSelect: (ids: ReadonlySet<string>) => void;
  },
) {
  const { items, columns, rowId, rowName, rowTo, rowActions, selectedIds, onSelect } = props;
  const t = useText();
  const go = useGo();
  const selectable = props.bulkActions !== undefined;

  if (props.loading) {
    return (
      <tbody aria-label={t("parts.table.loading")}>
        {placeholderRows.map((row) => (
          <tr key={row} className="table-placeholder">
            {selectable && <td className="table-check" />}
            {columns.map(({ id, secondary }) => (
              <td key={id} data-secondary={secondary}>
                <span />
              </td>
            ))}
            {rowActions !== undefined && <td />}
          </tr>
        ))}
      </tbody>
    );
  }
  const toggle = (id: string) => {
    const next = new Set(selectedIds);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const open = (event: MouseEvent, item: T) => {
    const target = event.target as HTMLElement;
    const inside = event.currentTarget.contains(target);
    if (rowTo === undefined || !inside || target.closest("a, button, input, label") !== null) return;
    // Whoever marks text to copy it does not want to leave.
    if (getSelection()?.isCollapsed === false) return;
    go(rowTo(item));
  };
  return (
    <tbody>
      {items.map((item) => {
        const id = rowId(item);
        return (
          <tr
            key={id}
            data-clickable={rowTo !== undefined}
            data-selected={selectedIds.has(id)}
            onClick={(event) => open(event, item)}
          >
            {selectable && (
              <td className="table-check">
                <Checkbox
                  aria-label={t("parts.table.selectRow", { name: rowName(item) })}
                  checked={selectedIds.has(id)}
                  onChange={() => toggle(id)}
                />
              </td>
            )}
            {columns.map((column) => (
              <td
                key={column.id}
                data-align={column.align}
                data-secondary={column.secondary}
                data-action={column.quiet}
              >
                {column.cell(item)}
              </td>
            ))}
            {rowActions !== undefined && <td className="table-actions">{rowActions(item)}</td>}
          </tr>
        );
      })}
    </tbody>
  );
}
