import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useMay } from "../../api/session";
import { screenPath, useGo } from "../../address/links";
import { toast } from "../../parts/toasts";
import { useText } from "../../text/text";

/** Whether a second person decides what the person writes: an owner does not change skills alone. */
export function useProposing(): boolean {
  const may = useMay();
  return !may("PATCH /skills/{id}") && may("POST /proposals");
}

/** Sends a change of a skill as a proposal. */
export function propose(body: object): Promise<{ readonly id: string }> {
  return request("/proposals", { method: "POST", body });
}

/** Returns what follows: the proposal is shown. */
export function useProposed(): (proposal: { readonly id: string }) => Promise<void> {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  return async ({ id }) => {
    await forget("/proposals");
    toast(t("skills.proposed"));
    go(screenPath("proposals", id), { replace: true });
  };
}
