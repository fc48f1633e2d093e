import { useMessages } from "../../messages/language";
import { Views } from "../../parts/views";
import { connectorKeyMessages } from "./messages";

/** What the server signs with, or what it encrypts people's tokens with. */
export function KeyViews({ current }: { readonly current: "signing" | "connector" }) {
  const t = useMessages(connectorKeyMessages);
  return (
    <Views
      label={t.views}
      views={[
        { to: "/signing-keys", title: t.signing, current: current === "signing" },
        { to: "/connector-keys", title: t.connector, current: current === "connector" },
      ]}
    />
  );
}
