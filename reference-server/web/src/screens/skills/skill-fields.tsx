import type { AdminSkill, CreateSkill } from "@admin/skills";
import { Radio, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useMessages } from "../../messages/language";
import { ScopesPicker } from "../../parts/pickers";
import type { Edit } from "../../parts/use-edit";
import { MarkdownEditor } from "./markdown-editor";
import { messages } from "./messages";

/** What is typed: no field is absent. */
export interface SkillValues {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly requiredScopes: readonly string[];
  readonly visibility: AdminSkill["visibility"];
  readonly content: string;
}

export const emptySkill: SkillValues = {
  id: "",
  title: "",
  description: "",
  tags: [],
  requiredScopes: [],
  visibility: "DEFAULT",
  content: "",
};

export function toSkillValues(skill: AdminSkill): SkillValues {
  const { id, title, description, tags, requiredScopes, visibility, content } = skill;
  return { id, title, description: description ?? "", tags, requiredScopes, visibility, content };
}

export function fromSkillValues({ description, tags, requiredScopes, ...values }: SkillValues): CreateSkill {
  return {
    ...values,
    description: description.trim() === "" ? null : description.trim(),
    tags: [...tags],
    requiredScopes: [...requiredScopes],
  };
}

export function useSkillLabels(): Readonly<Record<keyof SkillValues, string>> {
  const t = useMessages(messages);
  return {
    id: t.id,
    title: t.name,
    description: t.description,
    tags: t.tags,
    requiredScopes: t.scopes,
    visibility: t.visibility,
    content: t.content,
  };
}

export function SkillFields({
  form,
  creates = false,
}: {
  readonly form: Edit<SkillValues>;
  readonly creates?: boolean;
}) {
  const t = useMessages(messages);
  const tags = form.field("tags");
  const visibility = form.field("visibility");
  const scopes = form.field("requiredScopes");
  const content = form.field("content");
  return (
    <>
      <div className="skill-facts">
        <TextInput {...form.field("title")} label={t.name} description={t.nameHelp} autoFocus={creates} />
        {creates && (
          <TextInput
            {...form.field("id")}
            label={t.id}
            description={t.idHelp}
            placeholder="file-a-contract"
            classNames={{ input: "mono" }}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <Textarea
          {...form.field("description")}
          label={t.description}
          description={t.descriptionHelp}
          rows={2}
        />
        <ScopesPicker
          label={t.scopes}
          description={t.scopesHelp}
          value={scopes.value}
          onChange={scopes.onChange}
          error={scopes.error}
        />
        <Radio.Group
          label={t.visibility}
          value={visibility.value}
          onChange={(next) => visibility.onChange(next)}
          error={visibility.error}
        >
          <div className="radios">
            <Radio value="DEFAULT" label={t.visible} description={t.visibleHelp} />
            <Radio value="HIDDEN_IF_UNALLOWED" label={t.hidden} description={t.hiddenHelp} />
          </div>
        </Radio.Group>
        <TagsInput
          label={t.tags}
          description={t.tagsHelp}
          value={[...tags.value]}
          onChange={tags.onChange}
          error={tags.error}
          splitChars={[",", ";"]}
          acceptValueOnBlur
          maxTags={20}
        />
      </div>
      <MarkdownEditor value={content.value} onChange={content.onChange} error={content.error} />
    </>
  );
}
