import type { AllIds } from "@admin-http/all-ids";
import { Button, CloseButton } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { type Query, request } from "../api/request";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";

/** What somebody has chosen of a list. */
export interface Selection<T> {
  /** Of all that is chosen, also of what is not loaded. */
  readonly ids: readonly string[];
  /** Those among them that are loaded. */
  readonly items: readonly T[];
}

/** What is chosen, how to choose all that the search finds, and what can be done with it. */
export function SelectionBar<T>(props: {
  readonly selection: Selection<T>;
  /** How many the search finds; absent when not all of it can be chosen. */
  readonly total: number | undefined;
  readonly all: { readonly list: string; readonly filters: Query };
  readonly onSelectAll: (ids: readonly string[]) => void;
  readonly onClear: () => void;
  readonly children: (selection: Selection<T>, clear: () => void) => ReactNode;
}) {
  const { selection, total, all, onSelectAll, onClear, children } = props;
  const t = useText();
  const describe = useDescribeError();
  const [loading, setLoading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const count = selection.ids.length;
  const selectAll = async () => {
    setLoading(true);
    setProblem(undefined);
    try {
      const { ids } = await request<AllIds>(`${all.list}/ids`, { query: all.filters });
      onSelectAll(ids);
    } catch (error) {
      setProblem(describe(error));
    } finally {
      setLoading(false);
    }
  };
  return (
    <div className="table-selection" role="toolbar" aria-label={t("parts.table.selected", { count })}>
      <CloseButton aria-label={t("parts.table.clearSelection")} onClick={onClear} />
      <strong role="status">{t("parts.table.selected", { count })}</strong>
      {total !== undefined && total > count && (
        <Button variant="subtle" loading={loading} onClick={() => void selectAll()}>
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
