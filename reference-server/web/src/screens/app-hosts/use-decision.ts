import type { AppHost, NewAppHost } from "@admin/app-hosts";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { toast } from "../../parts/toasts";
import { useAction } from "../../parts/use-action";
import { hostName } from "./well-known-hosts";

/** Paths that a decision changes: hosts, people who wait for one, and what their apps may do. */
export const affected = ["/app-hosts", "/app-requests", "/app-policy", "/clients", "/grants", "/overview"];

/** Decides about a new host with one click. */
export function useDecision() {
  const t = useText();
  const forget = useForget();
  const { run, workingOn: deciding, problem } = useAction();
  const decide = (host: string, allowed: boolean) =>
    run(async () => {
      const body: NewAppHost = { host, name: hostName(host), allowed };
      try {
        await request<AppHost>("/app-hosts", { method: "POST", body });
        toast(allowed ? t("app-hosts.allowedDone", { host }) : t("app-hosts.refusedDone", { host }));
      } finally {
        await forget(...affected);
      }
    }, host);
  return { decide, deciding, problem };
}
