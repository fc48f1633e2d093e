import type { Assignment } from "@admin/assignments";
import { type Impact, useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { Scope } from "../../parts/identifier";
import { toast } from "../../parts/toasts";
import { assignee } from "./assignment-list";

/** As many as one can take in at a glance. */
const shown = 6;

/** Says who loses what, then removes them together. */
export function RemoveAssignments(props: {
  readonly assignments: readonly Assignment[];
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}) {
  const { assignments, onRemoved, onClose } = props;
  const t = useText();
  const forget = useForget();
  const body = { remove: assignments.map(({ id }) => id) };
  const send = (preview: boolean) =>
    request<{ impact: Impact }>("/assignments/bulk", {
      method: "POST",
      body,
      query: { preview: preview || undefined },
    });
  return (
    <ConfirmDestructive
      title={t("assignments.removeTitle", { count: assignments.length })}
      confirmLabel={t("assignments.removeSubmit")}
      preview={() => send(true)}
      onConfirm={async () => {
        await send(false);
        toast(t("assignments.removed", { count: assignments.length }));
        onRemoved();
        await forget("/assignments", "/scopes", "/users", "/explain");
      }}
      onClose={onClose}
    >
      <div className="stack">
        <ul className="plain-list">
          {assignments.slice(0, shown).map((assignment) => (
            <li key={assignment.id}>
              {assignee(assignment)} <Scope>{assignment.scope}</Scope>
            </li>
          ))}
          {assignments.length > shown && (
            <li className="muted">{t("assignments.more", { count: assignments.length - shown })}</li>
          )}
        </ul>
        <p>{t("assignments.removeText")}</p>
      </div>
    </ConfirmDestructive>
  );
}
