import { useText } from "../text/text";
import { Icon } from "./icon";
import type { Column } from "./resource-table-props";
import { HeadCheck } from "./row-check";

/** The heads of the columns; those that sort are buttons. */
export function TableHead<T>(props: {
  readonly columns: readonly Column<T>[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** Whether all, some or none of the rows are chosen; absent: rows cannot be chosen. */
  readonly chosen?: "all" | "some" | "none" | undefined;
  readonly onChoose: (all: boolean) => void;
  /** Whether the last cell of each row has a menu. */
  readonly hasActions: boolean;
}) {
  const { columns, sort, onSort, chosen, onChoose, hasActions } = props;
  const t = useText();
  return (
    <thead>
      <tr aria-rowindex={1}>
        {chosen !== undefined && (
          <th className="table-check">
            <HeadCheck
              label={t("parts.table.selectAll")}
              checked={chosen === "all"}
              some={chosen === "some"}
              onChange={onChoose}
            />
          </th>
        )}
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
        ))}
        {hasActions && (
          <th className="table-actions">
            <span className="visually-hidden">{t("parts.table.actionsColumn")}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

function HeadCell<T>(props: {
  readonly column: Column<T>;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}) {
  const { column, sort, onSort } = props;
  const descending = sort === `-${column.sort}`;
  const active = descending || sort === column.sort;
  const attributes = {
    "data-align": column.align,
    "data-secondary": column.secondary,
    ...(column.width !== undefined && { style: { width: column.width } }),
  };
  if (column.sort === undefined) {
    return (
      <th {...attributes}>
        {column.quiet ? <span className="visually-hidden">{column.header}</span> : column.header}
      </th>
    );
  }
  const key = column.sort;
  return (
    <th {...attributes} aria-sort={active ? (descending ? "descending" : "ascending") : undefined}>
      <button
        type="button"
        className="table-sort"
        onClick={() => onSort(active && !descending ? `-${key}` : key)}
      >
        {column.header}
        <span className="table-sort-sign" data-active={active}>
          <Icon name={descending ? "down" : "up"} size={12} />
        </span>
      </button>
    </th>
  );
}
