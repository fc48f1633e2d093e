import type { AdminSkill, CreateSkill } from "@admin/skills";
import { Radio, Textarea, TextInput } from "@mantine/core";
import { useText } from "../../text/text";
import { ScopesPicker } from "../../parts/pickers";
import type { Edit } from "../../parts/use-edit";
import { suggestId } from "./suggest-id";
import { MarkdownEditor } from "./markdown-editor";
import { TagsInput } from "../../parts/fields";

/** What is typed: no field is absent. */
export interface SkillValues {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly requiredScopes: readonly string[];
  readonly visibility: AdminSkill["visibility"];
  readonly content: string;
  /** `false`: a draft. */
  readonly published: boolean;
}

export const emptySkill: SkillValues = {
  id: "",
  title: "",
  description: "",
  tags: [],
  requiredScopes: [],
  visibility: "DEFAULT",
  content: "",
  published: false,
};

export function toSkillValues(skill: AdminSkill): SkillValues {
  const { id, title, description, tags, requiredScopes, visibility, content, published } = skill;
  return { id, title, description: description ?? "", tags, requiredScopes, visibility, content, published };
}

export function fromSkillValues({ description, tags, requiredScopes, ...values }: SkillValues): CreateSkill {
  return {
    ...values,
    description: description.trim() === "" ? null : description.trim(),
    tags: [...tags],
    requiredScopes: [...requiredScopes],
  };
}

export function SkillFields({
  form,
  creates = false,
}: {
  readonly form: Edit<SkillValues>;
  readonly creates?: boolean;
}) {
  const t = useText();
  const { id } = form.values;
  const title = form.field("title");
  const tags = form.field("tags");
  const visibility = form.field("visibility");
  const scopes = form.field("requiredScopes");
  const content = form.field("content");
  return (
    <>
      <div className="skill-facts">
        <TextInput
          {...title}
          onChange={(event) => {
            title.onChange(event);
            // The id follows the title until somebody gives it another one.
            if (creates && id === suggestId(title.value))
              form.set({ id: suggestId(event.currentTarget.value) });
          }}
          label={t("skills.fields.title")}
          description={t("skills.fields.titleHelp")}
          autoFocus={creates}
        />
        {creates && (
          <TextInput
            {...form.field("id")}
            label={t("skills.fields.id")}
            description={t("skills.fields.idHelp")}
            placeholder="file-a-contract"
            classNames={{ input: "mono" }}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <Textarea
          {...form.field("description")}
          label={t("skills.fields.description")}
          description={t("skills.fields.descriptionHelp")}
          rows={2}
        />
        <ScopesPicker
          label={t("skills.fields.requiredScopes")}
          description={t("skills.fields.requiredScopesHelp")}
          value={scopes.value}
          onChange={scopes.onChange}
          error={scopes.error}
        />
        <Radio.Group
          label={t("skills.fields.visibility")}
          value={visibility.value}
          onChange={(next) => visibility.onChange(next)}
          error={visibility.error}
        >
          <div className="radios">
            <Radio
              value="DEFAULT"
              label={t("skills.fields.visible")}
              description={t("skills.fields.visibleHelp")}
            />
            <Radio
              value="HIDDEN_IF_UNALLOWED"
              label={t("skills.fields.hidden")}
              description={t("skills.fields.hiddenHelp")}
            />
          </div>
        </Radio.Group>
        <TagsInput
          label={t("skills.fields.tags")}
          description={t("skills.fields.tagsHelp")}
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
