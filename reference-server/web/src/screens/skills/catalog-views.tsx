import type { AdminCatalog, CatalogState as State } from "@admin/catalogs";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { Status } from "../../parts/identifier";
import { toast } from "../../parts/toasts";

const tones = { fresh: "good", stale: "warning", failed: "bad", pending: "neutral" } as const;

export function CatalogState({ state }: { readonly state: State }) {
  const t = useText();
  return <Status tone={tones[state]}>{t(`skills.catalog.states.${state}`)}</Status>;
}

/** Fetches a catalog now and says what came of it. */
export function useRefresh() {
  const t = useText();
  const forget = useForget();
  const describe = useDescribeError();
  const [working, setWorking] = useState<string>();
  const refresh = async ({ key, name }: { readonly key: string; readonly name: string }) => {
    setWorking(key);
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
    } finally {
      setWorking(undefined);
    }
  };
  return { working, refresh };
}
