import type { Client, ClientSignOut } from "@admin/clients";
import { apiPath } from "../../api/request";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { useText } from "../../text/text";

/** Ends all grants of an app, after showing how many there are. */
export function SignOutClient(props: { readonly client: Client; readonly onClose: () => void }) {
  const t = useText();
  const { id, name } = props.client;
  return (
    <ConfirmChange<ClientSignOut>
      title={t("clients.signOutTitle", { name })}
      confirmLabel={t("clients.signOut")}
      path={apiPath("clients", id, "sign-outs")}
      options={{ method: "POST" }}
      affects={["/clients", "/grants", "/users"]}
      done={({ grants }) => t("clients.signedOut", { count: grants, name })}
      onClose={props.onClose}
    >
      <p>{t("clients.signOutText")}</p>
    </ConfirmChange>
  );
}
