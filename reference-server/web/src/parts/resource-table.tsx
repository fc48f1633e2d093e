import { Button } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import { tableQuestion } from "../api/first-question";
import { useList } from "../api/queries";
import { useSearch } from "../address/links";
import { useText, withTexts } from "../text/text";
import { useDensity } from "./density";
import "./table.css";
import { useDescribeError } from "./describe-error";
import { Icon } from "./icon";
import { later } from "./later";
import { LoadMore } from "./load-more";
import type { ResourceTableProps } from "./resource-table-props";
import { SearchField } from "./search-field";
import { TableHead } from "./table-head";
import { PlaceholderRows, TableRows } from "./table-rows";
import { SelectionBar } from "./selection-bar";

export type { RowAction } from "./open-row-menu";
export type { Column } from "./resource-table-props";
export type { Selection } from "./selection-bar";

const SavedViews = later(
  withTexts(["views"], () => import("./saved-views")),
  <span className="saved-views" />,
);

/** The API counts no further. */
const mostCounted = 10_000;

/**
 * A list of the API: search, sort, keyset paging, selection, saved views. Search and sort are in the address, so that
 * links and the browser's history restore them.
 */
export function ResourceTable<T>(props: ResourceTableProps<T>) {
  const { list, rowId, defaultSort, filtered = false } = props;
  const [search, setSearch] = useSearch();
  const q = search.get("q") ?? "";
  const { found, sort, options } = tableQuestion(props, search);
  const answer = useList<T>(list, { ...found, sort }, options);
  const items = useMemo(() => answer.data?.pages.flatMap((page) => page.items) ?? [], [answer.data]);
  const question = JSON.stringify([list, found]);
  const { ids, selected, select, clear } = useSelection(items, { rowId, question });
  const [dense] = useDensity();
  const isEmpty = answer.isSuccess && items.length === 0;

  if (isEmpty && q === "" && !filtered && !answer.isPlaceholderData) return <EmptyState {...props.empty} />;
  const total = answer.data?.pages[0]?.total;
  const counted = total !== undefined && total <= mostCounted ? total : undefined;
  const rowCount = answer.hasNextPage && counted === undefined ? -1 : (total ?? items.length) + 1;
  return (
    <div className="table-area">
      <div className="table-toolbar">
        {ids.size > 0 && props.bulkActions !== undefined ? (
          <SelectionBar
            selection={{ ids: [...ids], items: selected }}
            total={props.selectsAll === true ? counted : undefined}
            all={{ list, filters: found }}
            onSelectAll={(all) => select(new Set(all))}
            onClear={clear}
          >
            {props.bulkActions}
          </SelectionBar>
        ) : (
          <Toolbar table={props} answer={answer} shown={items.length} total={counted} />
        )}
      </div>
      <div className="table-frame" data-stale={answer.isPlaceholderData} aria-busy={answer.isFetching}>
        <table className="table" data-dense={dense} aria-rowcount={rowCount}>
          <TableHead
            columns={props.columns}
            sort={sort}
            onSort={(next) => setSearch({ sort: next === defaultSort ? undefined : next })}
            chosen={
              props.bulkActions &&
              (selected.length === 0 ? "none" : selected.length === items.length ? "all" : "some")
            }
            onChoose={(all) => select(all ? new Set(items.map(rowId)) : nothing)}
            hasActions={props.rowActions !== undefined}
          />
          {answer.isPending ? (
            <PlaceholderRows table={props} />
          ) : (
            <TableRows
              table={props}
              items={items}
              selectedIds={ids}
              onSelect={select}
              question={`${question} ${sort}`}
            />
          )}
        </table>
        {answer.isError && <Failure error={answer.error} onRetry={() => void answer.refetch()} />}
        {isEmpty && <NothingFound query={q} />}
      </div>
      {answer.hasNextPage && (
        <LoadMore loading={answer.isFetchingNextPage} onLoad={() => void answer.fetchNextPage()} />
      )}
    </div>
  );
}

const nothing: ReadonlySet<string> = new Set();

/** The selected rows of a list; another search or filter clears them. */
function useSelection<T>(
  items: readonly T[],
  { rowId, question }: { readonly rowId: (item: T) => string; readonly question: string },
) {
  const [chosen, setChosen] = useState<{ readonly question: string; readonly ids: ReadonlySet<string> }>();
  const ids = chosen?.question === question ? chosen.ids : nothing;
  const selected = useMemo(
    () => (ids.size === 0 ? [] : items.filter((item) => ids.has(rowId(item)))),
    [items, ids, rowId],
  );
  return {
    ids,
    selected,
    select: (next: ReadonlySet<string>) => setChosen({ question, ids: next }),
    clear: () => setChosen(undefined),
  };
}

/** Search, filters, the number of rows, saved views and the density of rows. */
function Toolbar<T>(props: {
  readonly table: ResourceTableProps<T>;
  readonly answer: ReturnType<typeof useList<T>>;
  readonly shown: number;
  /** Absent when the API does not count that far. */
  readonly total: number | undefined;
}) {
  const { table, answer, shown, total } = props;
  const t = useText();
  const [search, setSearch] = useSearch();
  const [dense, setDense] = useDensity();
  return (
    <>
      {table.search !== undefined && (
        <SearchField
          key={table.list}
          label={table.search}
          value={search.get("q") ?? ""}
          onChange={(value) => setSearch({ q: value })}
          suggests={table.suggests}
        />
      )}
      {table.toolbar}
      <span className="table-count muted" role="status">
        {answer.isSuccess &&
          t("parts.table.shown", { count: shown, more: answer.hasNextPage, total: total ?? "none" })}
      </span>
      <div className="table-tools">
        <SavedViews list={table.list.slice(1)} />
        <button
          type="button"
          className="table-tool"
          aria-pressed={dense}
          aria-label={t("parts.table.dense")}
          title={t("parts.table.dense")}
          onClick={() => setDense(!dense)}
        >
          <Icon name="menu" />
        </button>
      </div>
    </>
  );
}

function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const t = useText();
  const describe = useDescribeError();
  return (
    <div className="table-message" role="alert">
      <strong>{t("parts.table.failed")}</strong>
      <p>{describe(error)}</p>
      <Button variant="default" onClick={onRetry}>
        {t("parts.retry")}
      </Button>
    </div>
  );
}

/** In place of rows when search and filters find nothing, with a button that removes them. */
function NothingFound({ query }: { readonly query: string }) {
  const t = useText();
  const [search, setSearch] = useSearch();
  const showAll = () => setSearch(Object.fromEntries([...search.keys()].map((name) => [name, undefined])));
  return (
    <div className="table-message">
      <strong>{t("parts.table.nothingFound")}</strong>
      <p>{query === "" ? t("parts.table.nothingFiltered") : t("parts.table.nothingFoundText", { query })}</p>
      <Button variant="default" onClick={showAll}>
        {t("parts.table.showAll")}
      </Button>
    </div>
  );
}

/** In place of a list without any entries. */
export function EmptyState({
  title,
  text,
  action,
}: {
  /** Left out where the text is enough. */
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
