import type { BulkAssignmentsResult } from "@admin/assignments";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { Scope } from "../../parts/identifier";
import { useText } from "../../text/text";

/** Gives scopes to a person on the spot, after showing what that changes. */
export function GiveScopes(props: {
  readonly email: string;
  readonly scopes: readonly string[];
  readonly onClose: () => void;
}) {
  const { email, scopes, onClose } = props;
  const t = useText();
  return (
    <ConfirmChange<BulkAssignmentsResult>
      harmless
      title={t("explain.give.title", { email })}
      confirmLabel={t("explain.give.submit", { count: scopes.length })}
      path="/assignments/bulk"
      options={{ method: "POST", body: { create: scopes.map((scope) => ({ email, scope })) } }}
      affects={["/explain", "/assignments", "/scopes", "/users"]}
      done={() => t("explain.give.done", { email })}
      undo={({ created }) => {
        // Assignments that existed before are not removed.
        if (created.length === 0) return undefined;
        const body = { remove: created.map(({ id }) => id) };
        return { options: { method: "POST", body }, done: t("explain.give.undone", { email }) };
      }}
      onClose={onClose}
    >
      <div className="scopes">
        {scopes.map((scope) => (
          <Scope key={scope}>{scope}</Scope>
        ))}
      </div>
    </ConfirmChange>
  );
}
