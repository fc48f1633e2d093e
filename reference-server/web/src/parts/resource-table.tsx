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

/** As far as the API counts. */
const mostCounted = 10_000;

/**
 * A list of the API: search, sort, keyset paging, selection, saved views. Search and sort are in the address, so that a link
 * and the way back show the same.
 */
export function ResourceTable<T>(props: ResourceTableProps<T>) {
  const { list, rowId, defaultSort, toolbar, filtered = false } = props;
  const t = useText();
  const [search, setSearch] = useSearch();
  const q = search.get("q") ?? "";
  const { found, sort, options } = tableQuestion(props, search);
  const answer = useList<T>(list, { ...found, sort }, options);
  const items = useMemo(() => answer.data?.pages.flatMap((page) => page.items) ?? [], [answer.data]);
  const total = answer.data?.pages[0]?.total;
  const question = JSON.stringify([list, found]);
  const [chosen, setChosen] = useState<{ readonly question: string; readonly ids: ReadonlySet<string> }>();
  const selectedIds = chosen?.question === question ? chosen.ids : nothing;
  const setSelectedIds = (ids: ReadonlySet<string>) => setChosen({ question, ids });
  const clear = () => setChosen(undefined);
  const selected = useMemo(
    () => (selectedIds.size === 0 ? [] : items.filter((item) => selectedIds.has(rowId(item)))),
    [items, selectedIds, rowId],
  );
  const describe = useDescribeError();
  const [dense, setDense] = useDensity();
  const isEmpty = answer.isSuccess && items.length === 0;

  if (isEmpty && q === "" && !filtered && !answer.isPlaceholderData) return <EmptyState {...props.empty} />;
  const isCounted = total !== undefined && total <= mostCounted;
  return (
    <div className="table-area">
      <div className="table-toolbar">
        {selectedIds.size > 0 && props.bulkActions !== undefined ? (
          <SelectionBar
            selection={{ ids: [...selectedIds], items: selected }}
            total={isCounted && props.selectsAll === true ? total : undefined}
            all={{ list, filters: found }}
            onSelectAll={(ids) => setSelectedIds(new Set(ids))}
            onClear={clear}
          >
            {props.bulkActions}
          </SelectionBar>
        ) : (
          <>
            {props.search !== undefined && (
              <SearchField
                key={list}
                label={props.search}
                value={q}
                onChange={(value) => setSearch({ q: value })}
                suggests={props.suggests}
              />
            )}
            {toolbar}
            <span className="table-count muted" role="status">
              {answer.isSuccess &&
                t("parts.table.shown", {
                  count: items.length,
                  more: answer.hasNextPage,
                  total: isCounted ? total : "none",
                })}
            </span>
            <div className="table-tools">
              <SavedViews list={list.slice(1)} />
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
        )}
      </div>
      <div className="table-frame" data-stale={answer.isPlaceholderData} aria-busy={answer.isFetching}>
        <table
          className="table"
          data-dense={dense}
          aria-rowcount={answer.hasNextPage && !isCounted ? -1 : (total ?? items.length) + 1}
        >
          <TableHead
            columns={props.columns}
            sort={sort}
            onSort={(next) => setSearch({ sort: next === defaultSort ? undefined : next })}
            chosen={
              props.bulkActions &&
              (selected.length === 0 ? "none" : selected.length === items.length ? "all" : "some")
            }
            onChoose={(all) => setSelectedIds(all ? new Set(items.map(rowId)) : nothing)}
            hasActions={props.rowActions !== undefined}
          />
          {answer.isPending ? (
            <PlaceholderRows table={props} />
          ) : (
            <TableRows
              table={props}
              items={items}
              selectedIds={selectedIds}
              onSelect={setSelectedIds}
              question={`${question} ${sort}`}
            />
          )}
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

const nothing: ReadonlySet<string> = new Set();

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
