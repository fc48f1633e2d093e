import type { IdentityProviderList } from "@admin/identity-providers";
import { PasswordInput, Select, Switch, TextInput } from "@mantine/core";
import { useItem } from "../../api/queries";
import { useMessages } from "../../messages/language";
import { Choice } from "../../parts/choice";
import type { Edit } from "../../parts/use-edit";
import { messages } from "./messages";
import type { SourceValues } from "./source-values";

/** The labels of every field, for conflicts. */
export function useSourceLabels() {
  return useMessages(messages).fields;
}

/** The fields of a group source; type, key and sign-in provider only until it exists. */
export function SourceFields({
  form,
  hasSecret = false,
  creates = false,
}: {
  readonly form: Edit<SourceValues>;
  readonly hasSecret?: boolean;
  readonly creates?: boolean;
}) {
  const { fields: t, ...texts } = useMessages(messages);
  const { values, set } = form;
  const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false };
  return (
    <>
      {creates && (
        <Choice
          label={texts.type}
          value={values.type}
          options={[
            { value: "claim", label: texts.claim },
            { value: "directory", label: texts.directory },
          ]}
          help={texts.typeHelp[values.type]}
          onChange={(type) => set({ type })}
        />
      )}
      <TextInput {...form.field("name")} label={t.name} description={t.nameHelp} />
      {creates && <TextInput {...form.field("key")} {...code} label={t.key} description={t.keyHelp} />}
      {values.type === "claim" ? (
        creates && <ProviderField form={form} />
      ) : (
        <>
          <TextInput {...form.field("url")} {...code} label={t.url} description={t.urlHelp} />
          <PasswordInput
            {...form.field("secret")}
            label={t.secret}
            description={hasSecret ? t.secretKept : t.secretHelp}
            autoComplete="new-password"
            {...(hasSecret && { placeholder: "••••••••••••" })}
          />
        </>
      )}
      <Switch
        checked={values.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
        label={t.enabled}
        description={t.enabledHelp}
      />
    </>
  );
}

function ProviderField({ form }: { readonly form: Edit<SourceValues> }) {
  const { fields: t, ...texts } = useMessages(messages);
  const { data } = useItem<IdentityProviderList>("/identity-providers", { query: { limit: 200 } });
  const items = data?.items ?? [];
  const noneLeft = data !== undefined && items.every(({ groupProvider }) => groupProvider !== null);
  return (
    <Select
      label={t.provider}
      description={noneLeft ? texts.noProviderLeft : t.providerHelp}
      value={form.values.provider === "" ? null : form.values.provider}
      onChange={(provider) => form.set({ provider: provider ?? "" })}
      data={items.map(({ key, name, groupProvider }) => ({
        value: key,
        label: groupProvider === null ? name : `${name} (${texts.providerTaken(groupProvider)})`,
        disabled: groupProvider !== null,
      }))}
      allowDeselect={false}
      error={form.errorOf("provider")}
    />
  );
}
