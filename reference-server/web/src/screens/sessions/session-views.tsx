import { useSearch, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { Views } from "../../parts/views";

/** Browsers or apps; the person that one list is about stays in the other. */
export function SessionViews({ current }: { readonly current: "browsers" | "apps" }) {
  const t = useText();
  const [search] = useSearch();
  const user = search.get("user") ?? undefined;
  return (
    <Views
      label={t("sessions.views")}
      views={[
        {
          to: withQuery("/sessions", { user }),
          title: t("sessions.browsers"),
          current: current === "browsers",
        },
        {
          to: withQuery("/sessions/devices", { user }),
          title: t("sessions.apps"),
          current: current === "apps",
        },
      ]}
    />
  );
}
