import { memo, type MouseEvent, useCallback, useRef } from "react";
import { useGo } from "../address/links";
import { useText } from "../text/text";
import { useDensity } from "./density";
import { menuLater } from "./later";
import type { RowMenuProps } from "./open-row-menu";
import type { ResourceTableProps } from "./resource-table-props";
import { RowCheck } from "./row-check";
import { useWindowRows } from "./use-window-rows";

const OpenRowMenu = menuLater(() => import("./open-row-menu"));

const placeholderRows = Array.from({ length: 8 }, (_, index) => index);

interface TableRowsProps<T> {
  readonly table: ResourceTableProps<T>;
  readonly items: readonly T[];
  readonly selectedIds: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  /** The query of the list; another query has rows of other heights. */
  readonly question: string;
}

/** The body of a table; of a long one, only the visible rows. */
export function TableRows<T>({ table, items, selectedIds, onSelect, question }: TableRowsProps<T>) {
  const { columns, rowId, rowTo, rowActions } = table;
  const go = useGo();
  const body = useRef<HTMLTableSectionElement>(null);
  const [dense] = useDensity();
  const drawn = useWindowRows(items.length, { body, layout: `${String(dense)} ${question}` });
  const selectable = table.bulkActions !== undefined;
  const width = columns.length + (selectable ? 1 : 0) + (rowActions === undefined ? 0 : 1);

  // Stable callbacks, so that scrolling draws only new rows.
  const latest = useRef({ selectedIds, onSelect, rowTo, go });
  latest.current = { selectedIds, onSelect, rowTo, go };
  const toggle = useCallback((id: string) => {
    const next = new Set(latest.current.selectedIds);
    if (!next.delete(id)) next.add(id);
    latest.current.onSelect(next);
  }, []);
  const open = useCallback((event: MouseEvent, item: T) => {
    const target = event.target as HTMLElement;
    const inside = event.currentTarget.contains(target);
    const to = latest.current.rowTo?.(item);
    if (to === undefined || !inside || target.closest("a, button, input, label, [role=menu]") !== null)
      return;
    // Selecting text in a row does not open it.
    if (getSelection()?.isCollapsed === false) return;
    latest.current.go(to);
  }, []);

  return (
    <tbody ref={body}>
      {drawn.map((row) => {
        if ("gap" in row) {
          return (
            <tr key={`before ${row.before}`} className="table-gap" aria-hidden="true">
              <td colSpan={width} style={{ height: row.gap }} />
            </tr>
          );
        }
        const item = items[row.index];
        if (item === undefined) return undefined;
        const id = rowId(item);
        return (
          <Row
            key={id}
            table={table as ResourceTableProps<unknown>}
            item={item}
            id={id}
            index={row.index}
            selected={selectedIds.has(id)}
            onToggle={toggle}
            onOpen={open as (event: MouseEvent, item: unknown) => void}
          />
        );
      })}
    </tbody>
  );
}

interface RowProps {
  readonly table: ResourceTableProps<unknown>;
  readonly item: unknown;
  readonly id: string;
  readonly index: number;
  readonly selected: boolean;
  readonly onToggle: (id: string) => void;
  readonly onOpen: (event: MouseEvent, item: unknown) => void;
}

const Row = memo(function Row({ table, item, id, index, selected, onToggle, onOpen }: RowProps) {
  const { columns, rowName, rowTo, rowActions, bulkActions } = table;
  const t = useText();
  return (
    <tr
      data-index={index}
      aria-rowindex={index + 2}
      data-clickable={rowTo !== undefined}
      data-selected={selected}
      onClick={(event) => onOpen(event, item)}
    >
      {bulkActions !== undefined && (
        <td className="table-check">
          <RowCheck
            label={t("parts.table.selectRow", { name: rowName(item) })}
            checked={selected}
            onChange={() => onToggle(id)}
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
      {rowActions !== undefined && (
        <td className="table-actions">
          <RowMenu name={rowName(item)} actions={() => rowActions(item)} />
        </td>
      )}
    </tr>
  );
});

/** The actions of one row, in a menu within reach of a thumb. */
function RowMenu(props: Omit<RowMenuProps, "buttonRef">) {
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

/** Placeholders of the height of rows while the first page loads. */
export function PlaceholderRows<T>({ table }: { readonly table: ResourceTableProps<T> }) {
  const t = useText();
  return (
    <tbody aria-label={t("parts.table.loading")}>
      {placeholderRows.map((row) => (
        <tr key={row} className="table-placeholder">
          {table.bulkActions !== undefined && <td className="table-check" />}
          {table.columns.map(({ id, secondary }) => (
            <td key={id} data-secondary={secondary}>
              <span />
            </td>
          ))}
          {table.rowActions !== undefined && <td />}
        </tr>
      ))}
    </tbody>
  );
}
