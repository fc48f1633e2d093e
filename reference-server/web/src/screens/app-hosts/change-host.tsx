import type { AppHost } from "@admin/app-hosts";
import { useChange } from "../../api/change";
import { type Impact, useForget } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { toast } from "../../parts/toasts";
import { affected } from "./use-decision";

/** Allows a host, or stops it, after saying which apps that stops or lets go on. */
export function ChangeHost({
  host: found,
  onClose,
}: {
  readonly host: AppHost;
  readonly onClose: () => void;
}) {
  const t = useText();
  const forget = useForget();
  const change = useChange("/app-hosts");
  const { host, allowed, version } = found;
  const send = <T,>(preview?: true) =>
    change<T>(apiPath("app-hosts", host), {
      method: "PATCH",
      body: { allowed: !allowed },
      version,
      query: { preview },
    });
  return (
    <ConfirmDestructive
      title={allowed ? t("app-hosts.stopTitle", { host }) : t("app-hosts.allowTitle", { host })}
      confirmLabel={allowed ? t("app-hosts.stopAllowing") : t("app-hosts.allow")}
      preview={() => send<{ impact: Impact }>(true)}
      onConfirm={async () => {
        await send();
        toast(allowed ? t("app-hosts.refusedDone", { host }) : t("app-hosts.allowedDone", { host }));
        await forget(...affected);
      }}
      onClose={onClose}
    >
      <p>{allowed ? t("app-hosts.stopText") : t("app-hosts.allowText")}</p>
    </ConfirmDestructive>
  );
}
