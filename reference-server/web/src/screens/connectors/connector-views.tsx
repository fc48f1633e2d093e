import { useMessages } from "../../messages/language";
import { Views } from "../../parts/views";
import { messages } from "./messages";

/** Every connector, or every connection. */
export function ConnectorViews({ current }: { readonly current: "connectors" | "connections" }) {
  const t = useMessages(messages);
  return (
    <Views
      label={t.views}
      views={[
        { to: "/connectors", title: t.title, current: current === "connectors" },
        { to: "/connections", title: t.connections, current: current === "connections" },
      ]}
    />
  );
}
