import { useMessages } from "../../messages/language";
import { Views } from "../../parts/views";
import { messages } from "./messages";

/** The installation's own skills, and those of services. */
export function SkillViews({ current }: { readonly current: "own" | "catalogs" }) {
  const t = useMessages(messages);
  return (
    <Views
      label={t.views}
      views={[
        { to: "/skills", title: t.own, current: current === "own" },
        { to: "/catalogs", title: t.catalogs, current: current === "catalogs" },
      ]}
    />
  );
}
