import { Button, Checkbox, CloseButton } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useList } from "../api/queries";
import type { Query } from "../api/request";
import { useSearch } from "../app/links";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";
import { Icon } from "./icon";
import { LoadMore } from "./load-more";
import { SearchField } from "./search-field";
import { TableRows } from "./table-rows";

export interface Column<T> {
  readonly id: string;
  readonly header: string;
  /** Put a `<Link>` into the first column: it is what opens the row by keyboard. */
  readonly cell: (item: T) => ReactNode;
  /** The API's sort key; makes the head a button. */
  readonly sort?: string;
  readonly align?: "end";
  /** CSS width; columns without share what is left. */
  readonly width?: string;
  /** The head is for screen readers only: the cells say it themselves. */
  readonly quiet?: boolean;
  /** Left out on narrow windows. */
  readonly secondary?: boolean;
}

export interface ResourceTableProps<T> {
  /** The list of the API: `/scopes`. */
  readonly list: string;
  /** Filters beside search and sort. */
  readonly filters?: Query;
  readonly columns: readonly Column<T>[];
  /** The key of a row, unique in the list. */
  readonly rowId: (item: T) => string;
  /** What a row is called when it is selected. */
  readonly rowName: (item: T) => string;
  /** The screen that a click on the row opens. */
  readonly rowTo?: (item: T) => string;
  /** The sort key that the API uses when nothing is said: `name` or `-at`. */
  readonly defaultSort: string;
  /** What the search field is called: "Search services". Without it there is no search. */
  readonly search?: string;
  /** Beside the search. */
  readonly toolbar?: ReactNode;
  /** Whether a filter is active, so that an empty list is not the first one. */
  readonly filtered?: boolean;
  /** What the list shows when there is nothing at all: the next step, with one button. */
  readonly empty: { readonly title: string; readonly text: string; readonly action?: ReactNode };
  /** Buttons for the rows that are selected; makes rows selectable. Call `clear` when the action is done. */
  readonly bulkActions?: (selected: readonly T[], clear: () => void) => ReactNode;
  /** The last cell of each row. */
  readonly rowActions?: (item: T) => ReactNode;
}

/**
 * A list of the API: search, sort, keyset paging, selection. Search and sort are in the address, so that a link and
 * the way back show the same.
 */
export function ResourceTable<T>(props: ResourceTableProps<T>) {
  const { list, filters, columns, rowId, defaultSort, toolbar, filtered = false } = props;
  const t = useText();
  const [search, setSearch] = useSearch();
  const q = search.get("q") ?? "";
  const sort = search.get("sort") ?? defaultSort;
  const query = { ...filters, q, sort, limit: 50 };
  const answer = useList<T>(list, query);
  const items = answer.data?.pages.flatMap((page) => page.items) ?? [];
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const selected = items.filter((item) => selectedIds.has(rowId(item)));
  const clear = () => setSelectedIds(new Set());
  const describe = useDescribeError();
  const selectable = props.bulkActions !== undefined;
  const isEmpty = answer.isSuccess && items.length === 0;

  if (isEmpty && q === "" && !filtered && !answer.isPlaceholderData) return <EmptyState {...props.empty} />;
  return (
    <div className="table-area">
      <div className="table-toolbar">
        {selected.length > 0 ? (
          <div
            className="table-selection"
            role="toolbar"
            aria-label={t("parts.table.selected", { count: selected.length })}
          >
            <CloseButton aria-label={t("parts.table.clearSelection")} onClick={clear} />
            <strong>{t("parts.table.selected", { count: selected.length })}</strong>
            {props.bulkActions?.(selected, clear)}
          </div>
        ) : (
          <>
            {props.search !== undefined && (
              <SearchField
                key={list}
                label={props.search}
                value={q}
                onChange={(value) => setSearch({ q: value })}
              />
            )}
            {toolbar}
            <span className="table-count muted" role="status">
              {answer.isSuccess && t("parts.table.shown", { count: items.length, more: answer.hasNextPage })}
            </span>
          </>
        )}
      </div>
      <div className="table-frame" data-stale={answer.isPlaceholderData} aria-busy={answer.isFetching}>
        <table className="table">
          <thead>
            <tr>
              {selectable && (
                <th className="table-check">
                  <Checkbox
                    aria-label={t("parts.table.selectAll")}
                    checked={items.length > 0 && selected.length === items.length}
                    indeterminate={selected.length > 0 && selected.length < items.length}
                    onChange={(event) =>
                      setSelectedIds(event.currentTarget.checked ? new Set(items.map(rowId)) : new Set())
                    }
                  />
                </th>
              )}
              {columns.map((column) => (
                <HeadCell
                  key={column.id}
                  column={column}
                  sort={sort}
                  onSort={(next) => setSearch({ sort: next === defaultSort ? undefined : next })}
                />
              ))}
              {props.rowActions !== undefined && <td className="table-actions" />}
            </tr>
          </thead>
          <TableRows
            {...props}
            items={items}
            loading={answer.isPending}
            selectedIds={selectedIds}
            onSelect={setSelectedIds}
          />
        </table>
        {answer.isError && (
          <div className="table-message" role="alert">
            <strong>{t("parts.table.failed")}</strong>
            <p>{describe(answer.error)}</p>
            <Button variant="default" onClick={() => void answer.refetch()}>
              {t("parts.retry")}
            </Button>
          </div>
        )}
        {isEmpty && (
          <div className="table-message">
            <strong>{t("parts.table.nothingFound")}</strong>
            <p>
              {q === "" ? t("parts.table.nothingFiltered") : t("parts.table.nothingFoundText", { query: q })}
            </p>
            <ShowAll label={t("parts.table.showAll")} />
          </div>
        )}
      </div>
      {answer.hasNextPage && (
        <LoadMore loading={answer.isFetchingNextPage} onLoad={() => void answer.fetchNextPage()} />
      )}
    </div>
  );
}

/** What stands where nothing is yet. */
export function EmptyState({
  title,
  text,
  action,
}: {
  /** Left out where the text says everything. */
  readonly title?: string;
  readonly text: string;
  readonly action?: ReactNode;
}) {
  return (
    <div className="empty-state">
      {title !== undefined && <h2>{title}</h2>}
      <p>{text}</p>
      {action}
    </div>
  );
}

function ShowAll({ label }: { readonly label: string }) {
  const [search, setSearch] = useSearch();
  return (
    <Button
      variant="default"
      onClick={() => setSearch(Object.fromEntries([...search.keys()].map((name) => [name, undefined])))}
    >
      {label}
    </Button>
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
