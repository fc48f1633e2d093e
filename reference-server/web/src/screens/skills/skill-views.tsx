import { Views } from "../../parts/views";
import { useText } from "../../text/text";

/** The installation's own skills, and those of services. */
export function SkillViews() {
  const t = useText();
  return (
    <Views
      label={t("skills.views")}
      views={[
        ["/skills", t("skills.own")],
        ["/catalogs", t("skills.catalogs")],
      ]}
    />
  );
}
