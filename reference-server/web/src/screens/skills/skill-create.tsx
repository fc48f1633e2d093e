import type { AdminSkill } from "@admin/skills";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo } from "../../app/links";
import { useMessages } from "../../messages/language";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { messages } from "./messages";
import { emptySkill, fromSkillValues, SkillFields, type SkillValues, useSkillLabels } from "./skill-fields";

export default function SkillCreate() {
  const t = useMessages(messages);
  const go = useGo();
  const forget = useForget();
  const form = useEdit<SkillValues, AdminSkill>({
    initial: emptySkill,
    previews: true,
    send: (values, { preview }) =>
      request<AdminSkill>("/skills", {
        method: "POST",
        body: fromSkillValues(values),
        query: { preview: preview || undefined },
      }),
    onSaved: async (skill) => {
      await forget("/skills", "/overview");
      go(screenPath("skills", (skill as AdminSkill).id), { replace: true });
    },
  });
  return (
    <Page title={t.createTitle} parent={{ to: "/skills", title: t.title }}>
      <EditForm form={form} submitLabel={t.createSubmit} cancelTo="/skills" labels={useSkillLabels()} creates>
        <SkillFields form={form} creates />
      </EditForm>
    </Page>
  );
}
