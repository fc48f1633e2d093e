import type { AppHost, NewAppHost } from "@admin/app-hosts";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { toast } from "../../parts/toasts";
import { hostName } from "./well-known-hosts";

/** What is read again after a decision: which hosts there are, who waits for one, and which apps may act. */
export const affected = ["/app-hosts", "/app-requests", "/app-policy", "/clients", "/grants", "/overview"];

/** Decides about a host that nobody has decided about, with one click. */
export function useDecision() {
  const t = useText();
  const forget = useForget();
  const describe = useDescribeError();
  const [deciding, setDeciding] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const decide = async (host: string, allowed: boolean) => {
    setDeciding(host);
    setProblem(undefined);
    try {
      const body: NewAppHost = { host, name: hostName(host), allowed };
      await request<AppHost>("/app-hosts", { method: "POST", body });
      toast(allowed ? t("app-hosts.allowedDone", { host }) : t("app-hosts.refusedDone", { host }));
    } catch (error) {
      setProblem(describe(error));
    } finally {
      await forget(...affected);
      setDeciding(undefined);
    }
  };
  return { decide, deciding, problem };
}
