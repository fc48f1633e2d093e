import type { Client, ClientSignOut } from "@admin/clients";
import { useChange } from "../../api/change";
import { type Impact, useForget } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { toast } from "../../parts/toasts";

/** Ends everything that people have allowed an app, after saying how much that is. */
export function SignOutClient({
  client,
  onClose,
}: {
  readonly client: Client;
  readonly onClose: () => void;
}) {
  const t = useText();
  const forget = useForget();
  const change = useChange("/clients");
  const { id, name } = client;
  const send = <T,>(preview?: true) =>
    change<T>(apiPath("clients", id, "sign-outs"), { method: "POST", query: { preview } });
  return (
    <ConfirmDestructive
      title={t("clients.signOutTitle", { name })}
      confirmLabel={t("clients.signOut")}
      preview={() => send<{ impact: Impact }>(true)}
      onConfirm={async () => {
        const { grants } = await send<ClientSignOut>();
        toast(t("clients.signedOut", { count: grants, name }));
        await forget("/clients", "/grants", "/users");
      }}
      onClose={onClose}
    >
      <p>{t("clients.signOutText")}</p>
    </ConfirmDestructive>
  );
}
