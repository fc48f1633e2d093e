import type { Assignment, BulkAssignmentsResult } from "@admin/assignments";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { Scope } from "../../parts/identifier";
import type { Selection } from "../../parts/resource-table";
import { useText } from "../../text/text";
import { assignee } from "./assignee";
import { toCreateAgain } from "./create-again";

/** Assignments listed by name; the rest is a number. */
const shown = 6;

/** Removes assignments together, after showing who loses what. */
export function RemoveAssignments(props: {
  readonly selection: Selection<Assignment>;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}) {
  const { selection, onRemoved, onClose } = props;
  const { ids, items } = selection;
  const t = useText();
  return (
    <ConfirmChange<BulkAssignmentsResult>
      title={t("assignments.removeTitle", { count: ids.length })}
      confirmLabel={t("assignments.removeSubmit")}
      path="/assignments/bulk"
      options={{ method: "POST", body: { remove: ids } }}
      affects={["/assignments", "/scopes", "/users", "/explain"]}
      done={({ removed }) => t("assignments.removed", { count: removed.length })}
      undo={({ removed }) => {
        // Rows selected by a search but not loaded are known by their ids only.
        const create = toCreateAgain(items, removed, Date.now());
        if (create === undefined) return undefined;
        const done = t("assignments.removedUndone", { count: create.length });
        return { options: { method: "POST", body: { create } }, done };
      }}
      onDone={onRemoved}
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
    </ConfirmChange>
  );
}
