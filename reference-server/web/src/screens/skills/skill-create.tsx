import type { AdminSkill } from "@admin/skills";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo } from "../../address/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { propose, useProposed, useProposing } from "./proposing";
import { emptySkill, fromSkillValues, SkillFields, type SkillValues } from "./skill-fields";

/** A new skill is a draft unless somebody publishes it at once: who would see it stands above both buttons. */
export default function SkillCreate() {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const proposes = useProposing();
  const proposed = useProposed();
  const form = useEdit<SkillValues, AdminSkill>({
    initial: emptySkill,
    previews: proposes ? false : "beside",
    send: async (values, { preview }) =>
      proposes
        ? await propose({ action: "create", skill: { ...fromSkillValues(values), published: true } })
        : await request<AdminSkill>("/skills", {
            method: "POST",
            body: fromSkillValues(values),
            query: { preview: preview || undefined },
          }),
    onSaved: async (skill) => {
      if (proposes) return await proposed(skill as AdminSkill);
      await forget("/skills", "/overview");
      go(screenPath("skills", (skill as AdminSkill).id), { replace: true });
    },
  });
  return (
    <Page title={t("skills.createTitle")} parent={{ to: "/skills", title: t("skills.title") }}>
      <EditForm
        route={proposes ? "POST /proposals" : "POST /skills"}
        form={form}
        submitLabel={proposes ? t("skills.propose") : t("skills.createSubmit")}
        cancelTo="/skills"
        labels="skills.fields"
        {...(!proposes && { also: { label: t("skills.publish"), changes: { published: true } } })}
        creates
      >
        <SkillFields form={form} creates />
      </EditForm>
    </Page>
  );
}
