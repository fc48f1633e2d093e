import type { BulkAssignmentsResult } from "@admin/assignments";
import { type Impact, useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { Scope } from "../../parts/identifier";
import { toast } from "../../parts/toasts";

/** Gives somebody scopes without leaving the verdict, after showing what that changes. */
export function GiveScopes(props: {
  readonly email: string;
  readonly scopes: readonly string[];
  readonly onClose: () => void;
}) {
  const { email, scopes, onClose } = props;
  const t = useText();
  const forget = useForget();
  const body = { create: scopes.map((scope) => ({ email, scope })) };
  const refresh = () => forget("/explain", "/assignments", "/scopes", "/users");
  const send = <T,>(preview?: true) =>
    request<T>("/assignments/bulk", { method: "POST", body, query: { preview } });
  return (
    <ConfirmDestructive
      harmless
      title={t("explain.give.title", { email })}
      confirmLabel={t("explain.give.submit", { count: scopes.length })}
      preview={() => send<{ readonly impact: Impact }>(true)}
      onConfirm={async () => {
        const { created } = await send<BulkAssignmentsResult>();
        const run = async () => {
          const remove = created.map(({ id }) => id);
          await request("/assignments/bulk", { method: "POST", body: { remove } });
          await refresh();
        };
        // What was given before is not of this click.
        const undo = created.length > 0 ? { run, done: t("explain.give.undone", { email }) } : undefined;
        toast(t("explain.give.done", { email }), undo);
        await refresh();
      }}
      onClose={onClose}
    >
      <div className="scopes">
        {scopes.map((scope) => (
          <Scope key={scope}>{scope}</Scope>
        ))}
      </div>
    </ConfirmDestructive>
  );
}
