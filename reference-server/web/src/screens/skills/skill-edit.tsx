import type { AdminSkill } from "@admin/skills";
import { useState } from "react";
import { type Impact, useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useParam } from "../../address/links";
import { useText } from "../../text/text";
import { ActionButton, IfMay } from "../../parts/if-may";
import { DeleteObject } from "../../parts/delete-object";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { HistoryOf } from "../objects/object-sections";
import { ReadsOf } from "../usage/usage-of";
import { Audience } from "./audience";
import { propose, useProposed, useProposing } from "./proposing";
import { Publishing, WithdrawSkill } from "./publishing";
import { Reading } from "./reading";
import { SkillState } from "./skill-state";
import { fromSkillValues, SkillFields, type SkillValues, toSkillValues } from "./skill-fields";

export default function SkillEdit() {
  const id = useParam("id");
  const answer = useItem<AdminSkill>(apiPath("skills", id));
  return <Loaded answer={answer}>{(skill) => <Editor key={skill.id} skill={skill} />}</Loaded>;
}

const changes = ["skill.created", "skill.changed", "skill.removed"];

function Editor({ skill }: { readonly skill: AdminSkill }) {
  const t = useText();
  const forget = useForget();
  const [asking, setAsking] = useState<"withdraw" | "delete">();
  const close = () => setAsking(undefined);
  const { published } = skill;
  const proposes = useProposing();
  const proposed = useProposed();
  const form = useEdit<SkillValues, AdminSkill>({
    initial: toSkillValues(skill),
    version: skill.version,
    previews: !proposes,
    send: async (values, { version, preview }) => {
      if (proposes) {
        const { id, published: _published, ...change } = fromSkillValues(values);
        return await propose({ action: "change", id, version, change });
      }
      if (preview && !changesAudience(values, skill)) return { impact: noImpact };
      const { id: _id, published: _published, ...body } = fromSkillValues(values);
      return await request(apiPath("skills", skill.id), {
        method: "PATCH",
        body,
        version,
        query: { preview: preview || undefined },
      });
    },
    // What is proposed is not stored.
    ...(!proposes && { toValues: toSkillValues }),
    onSaved: async (saved) => {
      if (proposes) await proposed(saved as { readonly id: string });
      else await forget("/skills");
    },
  });
  return (
    <Page
      title={skill.title}
      lead={
        <>
          <Identifier>{skill.publishedId}</Identifier> · <SkillState published={published} />
        </>
      }
      parent={{ to: "/skills", title: t("skills.title") }}
      actions={
        <>
          <HistoryLink subject={skill.id} />
          {published && (
            <ActionButton route="PATCH /skills/{id}" variant="default" onClick={() => setAsking("withdraw")}>
              {t("skills.withdraw")}
            </ActionButton>
          )}
          <ActionButton route="DELETE /skills/{id}" variant="default" onClick={() => setAsking("delete")}>
            {t("skills.delete")}
          </ActionButton>
        </>
      }
    >
      {!published && (
        <IfMay route="PATCH /skills/{id}">
          <Publishing key={skill.version} skill={skill} blocked={form.dirty} />
        </IfMay>
      )}
      <EditForm
        route={proposes ? "POST /proposals" : "PATCH /skills/{id}"}
        form={form}
        submitLabel={proposes ? t("skills.propose") : t("parts.save")}
        labels="skills.fields"
      >
        <SkillFields form={form} />
      </EditForm>
      <Reading key={`reading ${skill.version}`} id={skill.id} />
      <Audience id={skill.id} published={published} />
      <ReadsOf skill={skill.publishedId} />
      <HistoryOf query={{ q: skill.id, type: changes }} />
      {asking === "withdraw" && <WithdrawSkill skill={skill} onClose={close} />}
      {asking === "delete" && <DeleteSkill skill={skill} onClose={close} />}
    </Page>
  );
}

const noImpact: Impact = { gains: [], losses: [], notes: [] };

/** Another title or text changes for nobody what they can see: the server need not be asked who would. */
function changesAudience(values: SkillValues, { visibility, requiredScopes }: AdminSkill): boolean {
  return (
    values.visibility !== visibility ||
    JSON.stringify(values.requiredScopes) !== JSON.stringify(requiredScopes)
  );
}

function DeleteSkill({ skill, onClose }: { readonly skill: AdminSkill; readonly onClose: () => void }) {
  const t = useText();
  return (
    <DeleteObject
      list="skills"
      object={{ key: skill.id, name: skill.title, version: skill.version }}
      texts="skills"
      affects={["/overview"]}
      onClose={onClose}
    >
      <p>{t("skills.deleteText")}</p>
    </DeleteObject>
  );
}
