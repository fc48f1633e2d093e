import { useSearch, withQuery } from "../../app/links";
import { useMessages } from "../../messages/language";
import { Views } from "../../parts/views";
import { messages } from "./messages";

/** Browsers or devices; the person that one list is about stays in the other. */
export function SessionViews({ current }: { readonly current: "browsers" | "devices" }) {
  const t = useMessages(messages);
  const [search] = useSearch();
  const user = search.get("user") ?? undefined;
  return (
    <Views
      label={t.views}
      views={[
        { to: withQuery("/sessions", { user }), title: t.browsers, current: current === "browsers" },
        { to: withQuery("/sessions/devices", { user }), title: t.devices, current: current === "devices" },
      ]}
    />
  );
}
