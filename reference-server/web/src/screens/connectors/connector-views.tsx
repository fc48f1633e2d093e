import { Views } from "../../parts/views";
import { useText } from "../../text/text";

/** Every connector, or every connection. */
export function ConnectorViews() {
  const t = useText();
  return (
    <Views
      label={t("connectors.views")}
      views={[
        ["/connectors", t("connectors.title")],
        ["/connections", t("connectors.connections")],
      ]}
    />
  );
}
