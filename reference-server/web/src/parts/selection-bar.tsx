import type { AllIds } from "@admin-http/all-ids";
import { Button, CloseButton } from "@mantine/core";
import type { ReactNode } from "react";
import { type Query, request } from "../api/request";
import { useText } from "../text/text";
import { useAction } from "./use-action";

/** Selected rows of a list. */
export interface Selection<T> {
  /** All selected rows, including those not loaded. */
  readonly ids: readonly string[];
  /** The loaded ones among them. */
  readonly items: readonly T[];
}

/** The number of selected rows, a button that selects all that the search finds, and the bulk actions. */
export function SelectionBar<T>(props: {
  readonly selection: Selection<T>;
  /** How many the search finds; absent when not all of them can be selected. */
  readonly total: number | undefined;
  readonly all: { readonly list: string; readonly filters: Query };
  readonly onSelectAll: (ids: readonly string[]) => void;
  readonly onClear: () => void;
  readonly children: (selection: Selection<T>, clear: () => void) => ReactNode;
}) {
  const { selection, total, all, onSelectAll, onClear, children } = props;
  const t = useText();
  const { run, working, problem } = useAction();
  const count = selection.ids.length;
  const selectAll = () =>
    run(async () => {
      const { ids } = await request<AllIds>(`${all.list}/ids`, { query: all.filters });
      onSelectAll(ids);
    });
  return (
    <div className="table-selection" role="toolbar" aria-label={t("parts.table.selected", { count })}>
      <CloseButton aria-label={t("parts.table.clearSelection")} onClick={onClear} />
      <strong role="status">{t("parts.table.selected", { count })}</strong>
      {total !== undefined && total > count && (
        <Button variant="subtle" loading={working} onClick={() => void selectAll()}>
          {t("parts.table.selectFound", { count: total })}
        </Button>
      )}
      {children(selection, onClear)}
      {problem !== undefined && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}
