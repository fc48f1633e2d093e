import type { AdminCatalog, CatalogState as State } from "@admin/catalogs";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { Status } from "../../parts/identifier";
import { toast } from "../../parts/toasts";
import { useAction } from "../../parts/use-action";

const tones = { fresh: "good", stale: "warning", failed: "bad", pending: "neutral" } as const;

export function CatalogState({ state }: { readonly state: State }) {
  const t = useText();
  return <Status tone={tones[state]}>{t(`skills.catalog.states.${state}`)}</Status>;
}

/** Fetches a catalog now; a message shows the result. */
export function useRefresh() {
  const t = useText();
  const forget = useForget();
  const describe = useDescribeError();
  const { run, workingOn } = useAction();
  const refresh = ({ key, name }: { readonly key: string; readonly name: string }) =>
    run(async () => {
      try {
        const path = apiPath("catalogs", key, "refreshes");
        const { state, skills } = await request<AdminCatalog>(path, { method: "POST" });
        toast(
          state === "fresh"
            ? t("skills.catalog.refreshed", { name, count: skills ?? 0 })
            : t("skills.catalog.refreshFailed", { name }),
        );
        await forget("/catalogs", "/overview");
      } catch (error) {
        toast(describe(error));
      }
    }, key);
  return { workingOn, refresh };
}
