import type { IdentityProviderList } from "@admin/identity-providers";
import { PasswordInput, Switch, TextInput } from "@mantine/core";
import { useItem } from "../../api/queries";
import { useText } from "../../text/text";
import { Choice } from "../../parts/choice";
import { Select } from "../../parts/fields";
import type { Edit } from "../../parts/use-edit";
import type { GroupProviderValues } from "./group-provider-values";

/** The fields of a group provider; type, key and sign-in provider only until it exists. */
export function GroupProviderFields({
  form,
  hasSecret = false,
  creates = false,
}: {
  readonly form: Edit<GroupProviderValues>;
  readonly hasSecret?: boolean;
  readonly creates?: boolean;
}) {
  const t = useText();
  const { values, set } = form;
  const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false };
  return (
    <>
      {creates && (
        <Choice
          label={t("groups.type")}
          value={values.type}
          options={[
            { value: "claim", label: t("groups.claim") },
            { value: "scim", label: t("groups.scim") },
            { value: "directory", label: t("groups.directory") },
          ]}
          help={t(`groups.typeHelp.${values.type}`)}
          onChange={(type) => set({ type })}
        />
      )}
      <TextInput
        {...form.field("name")}
        label={t("groups.fields.name")}
        description={t("groups.fields.nameHelp")}
      />
      {creates && (
        <TextInput
          {...form.field("key")}
          {...code}
          label={t("groups.fields.key")}
          description={t("groups.fields.keyHelp")}
        />
      )}
      {values.type === "directory" ? (
        <>
          <TextInput
            {...form.field("url")}
            {...code}
            label={t("groups.fields.url")}
            description={t("groups.fields.urlHelp")}
          />
          <PasswordInput
            {...form.field("secret")}
            label={t("groups.fields.secret")}
            description={hasSecret ? t("groups.fields.secretKept") : t("groups.fields.secretHelp")}
            autoComplete="new-password"
            {...(hasSecret && { placeholder: "••••••••••••" })}
          />
        </>
      ) : (
        creates && <ProviderField form={form} />
      )}
      <Switch
        checked={values.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
        label={t("groups.fields.enabled")}
        description={t("groups.fields.enabledHelp")}
      />
    </>
  );
}

function ProviderField({ form }: { readonly form: Edit<GroupProviderValues> }) {
  const t = useText();
  const { data } = useItem<IdentityProviderList>("/identity-providers", { query: { limit: 200 } });
  const items = data?.items ?? [];
  const noneLeft = data !== undefined && items.every(({ groupProvider }) => groupProvider !== null);
  return (
    <Select
      label={t("groups.fields.provider")}
      description={noneLeft ? t("groups.noProviderLeft") : t("groups.fields.providerHelp")}
      value={form.values.provider === "" ? null : form.values.provider}
      onChange={(provider) => form.set({ provider: provider ?? "" })}
      data={items.map(({ key, name, groupProvider }) => ({
        value: key,
        label:
          groupProvider === null ? name : `${name} (${t("groups.providerTaken", { source: groupProvider })})`,
        disabled: groupProvider !== null,
      }))}
      allowDeselect={false}
      error={form.errorOf("provider")}
    />
  );
}
