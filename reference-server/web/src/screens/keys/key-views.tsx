import { Views } from "../../parts/views";
import { useText } from "../../text/text";

/** The keys that sign tokens, or those that encrypt people's tokens at third parties. */
export function KeyViews() {
  const t = useText();
  return (
    <Views
      label={t("connector-keys.views")}
      views={[
        ["/signing-keys", t("connector-keys.signing")],
        ["/connector-keys", t("connector-keys.connector")],
      ]}
    />
  );
}
