import { useText } from "../../text/text";
import { Views } from "../../parts/views";

/** Every connector, or every connection. */
export function ConnectorViews({ current }: { readonly current: "connectors" | "connections" }) {
  const t = useText();
  return (
    <Views
      label={t("connectors.views")}
      views={[
        { to: "/connectors", title: t("connectors.title"), current: current === "connectors" },
        { to: "/connections", title: t("connectors.connections"), current: current === "connections" },
      ]}
    />
  );
}
