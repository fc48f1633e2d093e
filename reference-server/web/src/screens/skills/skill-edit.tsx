import type { AdminSkill } from "@admin/skills";
import { Button } from "@mantine/core";
import { useState } from "react";
import { type Impact, useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useParam } from "../../app/links";
import { useMessages } from "../../messages/language";
import { partsMessages } from "../../messages/parts";
import { DeleteObject } from "../../parts/delete-object";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { Audience } from "./audience";
import { messages } from "./messages";
import {
  fromSkillValues,
  SkillFields,
  type SkillValues,
  toSkillValues,
  useSkillLabels,
} from "./skill-fields";

export default function SkillEdit() {
  const id = useParam("id");
  const answer = useItem<AdminSkill>(apiPath("skills", id));
  return <Loaded answer={answer}>{(skill) => <Editor key={skill.id} skill={skill} />}</Loaded>;
}

function Editor({ skill }: { readonly skill: AdminSkill }) {
  const t = useMessages(messages);
  const { save } = useMessages(partsMessages);
  const forget = useForget();
  const [deleting, setDeleting] = useState(false);
  const form = useEdit<SkillValues, AdminSkill>({
    initial: toSkillValues(skill),
    version: skill.version,
    previews: true,
    send: async (values, { version, preview }) => {
      if (preview && !changesAudience(values, skill)) return { impact: noImpact };
      const { id: _id, ...body } = fromSkillValues(values);
      return await request(apiPath("skills", skill.id), {
        method: "PATCH",
        body,
        version,
        query: { preview: preview || undefined },
      });
    },
    toValues: toSkillValues,
    onSaved: () => forget("/skills"),
  });
  return (
    <Page
      title={skill.title}
      lead={<Identifier>{skill.publishedId}</Identifier>}
      parent={{ to: "/skills", title: t.title }}
      actions={
        <>
          <HistoryLink subject={skill.id} />
          <Button variant="default" onClick={() => setDeleting(true)}>
            {t.delete}
          </Button>
        </>
      }
    >
      <EditForm form={form} submitLabel={save} labels={useSkillLabels()}>
        <SkillFields form={form} />
      </EditForm>
      <Audience id={skill.id} />
      {deleting && <DeleteSkill skill={skill} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

const noImpact: Impact = { gains: [], losses: [], notes: [] };

/** Another title or text changes nothing for anybody: nobody has to confirm that. */
function changesAudience(values: SkillValues, { visibility, requiredScopes }: AdminSkill): boolean {
  return (
    values.visibility !== visibility ||
    JSON.stringify(values.requiredScopes) !== JSON.stringify(requiredScopes)
  );
}

function DeleteSkill({ skill, onClose }: { readonly skill: AdminSkill; readonly onClose: () => void }) {
  const t = useMessages(messages);
  return (
    <DeleteObject
      list="skills"
      object={{ key: skill.id, name: skill.title, version: skill.version }}
      words={t}
      affects={["/overview"]}
      onClose={onClose}
    >
      <p>{t.deleteText}</p>
    </DeleteObject>
  );
}
