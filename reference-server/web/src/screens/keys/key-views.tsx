import { useText } from "../../text/text";
import { Views } from "../../parts/views";

/** What the server signs with, or what it encrypts people's tokens with. */
export function KeyViews({ current }: { readonly current: "signing" | "connector" }) {
  const t = useText();
  return (
    <Views
      label={t("connector-keys.views")}
      views={[
        { to: "/signing-keys", title: t("connector-keys.signing"), current: current === "signing" },
        { to: "/connector-keys", title: t("connector-keys.connector"), current: current === "connector" },
      ]}
    />
  );
}
