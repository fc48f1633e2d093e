import { useText } from "../../text/text";
import { Views } from "../../parts/views";

/** The installation's own skills, and those of services. */
export function SkillViews({ current }: { readonly current: "own" | "catalogs" }) {
  const t = useText();
  return (
    <Views
      label={t("skills.views")}
      views={[
        { to: "/skills", title: t("skills.own"), current: current === "own" },
        { to: "/catalogs", title: t("skills.catalogs"), current: current === "catalogs" },
      ]}
    />
  );
}
