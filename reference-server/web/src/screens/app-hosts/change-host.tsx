import type { AppHost } from "@admin/app-hosts";
import { apiPath } from "../../api/request";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { useText } from "../../text/text";
import { affected } from "./use-decision";

/** Allows or refuses a host, after showing which apps that affects. */
export function ChangeHost(props: { readonly host: AppHost; readonly onClose: () => void }) {
  const t = useText();
  const { host, allowed, version } = props.host;
  return (
    <ConfirmChange
      title={allowed ? t("app-hosts.stopTitle", { host }) : t("app-hosts.allowTitle", { host })}
      confirmLabel={allowed ? t("app-hosts.stopAllowing") : t("app-hosts.allow")}
      path={apiPath("app-hosts", host)}
      options={{ method: "PATCH", body: { allowed: !allowed }, version }}
      affects={affected}
      done={() => (allowed ? t("app-hosts.refusedDone", { host }) : t("app-hosts.allowedDone", { host }))}
      onClose={props.onClose}
    >
      <p>{allowed ? t("app-hosts.stopText") : t("app-hosts.allowText")}</p>
    </ConfirmChange>
  );
}
