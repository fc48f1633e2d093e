import { useText } from "../../text/text";
import { Status } from "../../parts/identifier";

/** Whether a skill is published or a draft. */
export function SkillState({ published }: { readonly published: boolean }) {
  const t = useText();
  return (
    <Status tone={published ? "good" : "neutral"}>
      {published ? t("skills.published") : t("skills.draft")}
    </Status>
  );
}
