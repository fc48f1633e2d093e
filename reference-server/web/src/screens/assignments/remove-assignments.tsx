import type { Assignment, BulkAssignmentsResult } from "@admin/assignments";
import { type Impact, useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { Scope } from "../../parts/identifier";
import type { Selection } from "../../parts/resource-table";
import { toast } from "../../parts/toasts";
import { assignee } from "./assignee";
import { toCreateAgain } from "./create-again";

/** As many as one can take in at a glance. */
const shown = 6;

/** Says who loses what, then removes them together. */
export function RemoveAssignments(props: {
  readonly selection: Selection<Assignment>;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}) {
  const { selection, onRemoved, onClose } = props;
  const { ids, items } = selection;
  const t = useText();
  const forget = useForget();
  const body = { remove: ids };
  const refresh = () => forget("/assignments", "/scopes", "/users", "/explain");
  const send = <T,>(preview: boolean) =>
    request<T>("/assignments/bulk", {
      method: "POST",
      body,
      query: { preview: preview || undefined },
    });
  return (
    <ConfirmDestructive
      title={t("assignments.removeTitle", { count: ids.length })}
      confirmLabel={t("assignments.removeSubmit")}
      preview={() => send<{ impact: Impact }>(true)}
      onConfirm={async () => {
        const { removed } = await send<BulkAssignmentsResult>(false);
        const text = t("assignments.removed", { count: removed.length });
        const create = toCreateAgain(items, removed, Date.now());
        // Of what a search has found besides, only the ids are known here.
        if (create === undefined) {
          toast(text);
        } else {
          const run = async () => {
            await request("/assignments/bulk", { method: "POST", body: { create } });
            await refresh();
          };
          toast(text, { run, done: t("assignments.removedUndone", { count: create.length }) });
        }
        onRemoved();
        await refresh();
      }}
      onClose={onClose}
    >
      <div className="stack">
        <ul className="plain-list">
          {items.slice(0, shown).map((assignment) => (
            <li key={assignment.id}>
              {assignee(assignment)} <Scope>{assignment.scope}</Scope>
            </li>
          ))}
          {ids.length > Math.min(items.length, shown) && (
            <li className="muted">
              {t("assignments.more", { count: ids.length - Math.min(items.length, shown) })}
            </li>
          )}
        </ul>
        <p>{t("assignments.removeText")}</p>
      </div>
    </ConfirmDestructive>
  );
}
