import type { Client } from "@admin/clients";
import { useText } from "../../text/text";
import { Status } from "../../parts/identifier";

/** Whether an app can do anything now: disabled by an administrator, or shut out with its host. */
export function ClientState({
  client: { enabled, trusted },
}: {
  readonly client: Pick<Client, "enabled" | "trusted">;
}) {
  const t = useText();
  if (!enabled) return <Status tone="neutral">{t("clients.disabled")}</Status>;
  if (!trusted) return <Status tone="warning">{t("clients.shutOut")}</Status>;
  return <Status tone="good">{t("clients.enabled")}</Status>;
}
