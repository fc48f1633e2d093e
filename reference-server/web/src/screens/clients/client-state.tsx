import type { Client } from "@admin/clients";
import { useText } from "../../text/text";
import { Status } from "../../parts/identifier";

/** Whether an app is enabled and its host is trusted. */
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
