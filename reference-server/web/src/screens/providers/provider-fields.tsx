import { PasswordInput, Select, Switch, TagsInput, TextInput } from "@mantine/core";
import { useMessages } from "../../messages/language";
import "../../parts/lists.css";
import type { Edit } from "../../parts/use-edit";
import { messages } from "./messages";
import { defaultScopes, type ProviderValues } from "./provider-values";

const methods = ["client_secret_basic", "client_secret_post", "none"] as const;
const rare = ["buttonLabel", "scopes", "tokenEndpointAuthMethod", "discoveryUrl"] as const;

/** The labels of every field, for conflicts. */
export function useProviderLabels() {
  return useMessages(messages).fields;
}

/** The fields of a provider; the key only until it exists. */
export function ProviderFields({
  form,
  hasSecret = false,
  creates = false,
}: {
  readonly form: Edit<ProviderValues>;
  /** A secret is stored. */
  readonly hasSecret?: boolean;
  readonly creates?: boolean;
}) {
  const { fields: t } = useMessages(messages);
  const { values, set } = form;
  const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false };
  const noSecret = values.tokenEndpointAuthMethod === "none";
  return (
    <>
      <TextInput {...form.field("name")} label={t.name} description={t.nameHelp} />
      {creates && <TextInput {...form.field("key")} {...code} label={t.key} description={t.keyHelp} />}
      <TextInput
        {...form.field("issuer")}
        {...code}
        label={t.issuer}
        description={values.issuer.includes("{") ? t.issuerBraces : t.issuerHelp}
      />
      <TextInput {...form.field("clientId")} {...code} label={t.clientId} description={t.clientIdHelp} />
      <PasswordInput
        {...form.field("clientSecret")}
        label={t.clientSecret}
        description={noSecret ? t.clientSecretNone : hasSecret ? t.clientSecretKept : t.clientSecretHelp}
        disabled={noSecret}
        autoComplete="new-password"
        {...(hasSecret && !noSecret && { placeholder: "••••••••••••" })}
      />
      <TagsInput
        label={t.allowedEmailDomains}
        description={t.allowedEmailDomainsHelp}
        value={[...values.allowedEmailDomains]}
        onChange={(allowedEmailDomains) => set({ allowedEmailDomains })}
        error={form.errorOf("allowedEmailDomains")}
        splitChars={[",", ";", " "]}
        acceptValueOnBlur
      />
      <MoreFields form={form} />
      <Switch
        checked={values.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
        label={t.enabled}
        description={t.enabledHelp}
      />
    </>
  );
}

/** What most providers need no other value for; open when one has it, or when something is wrong with it. */
function MoreFields({ form }: { readonly form: Edit<ProviderValues> }) {
  const { fields: t, authMethods, more } = useMessages(messages);
  const { values, set } = form;
  const unusual =
    values.buttonLabel !== "" ||
    values.discoveryUrl !== "" ||
    values.tokenEndpointAuthMethod !== null ||
    values.scopes.join(" ") !== defaultScopes.join(" ");
  const wrong = rare.some((name) => form.errorOf(name) !== undefined);
  return (
    <details className="more-fields" open={unusual || wrong ? true : undefined}>
      <summary>{more}</summary>
      <div className="edit-fields">
        <TextInput {...form.field("buttonLabel")} label={t.buttonLabel} description={t.buttonLabelHelp} />
        <TagsInput
          label={t.scopes}
          description={t.scopesHelp}
          value={[...values.scopes]}
          onChange={(scopes) => set({ scopes })}
          error={form.errorOf("scopes")}
          splitChars={[",", " "]}
          acceptValueOnBlur
          classNames={{ pill: "mono" }}
        />
        <Select
          label={t.tokenEndpointAuthMethod}
          value={values.tokenEndpointAuthMethod ?? "metadata"}
          onChange={(next) =>
            set({ tokenEndpointAuthMethod: methods.find((method) => method === next) ?? null })
          }
          data={(["metadata", ...methods] as const).map((value) => ({ value, label: authMethods[value] }))}
          allowDeselect={false}
          error={form.errorOf("tokenEndpointAuthMethod")}
        />
        <TextInput
          {...form.field("discoveryUrl")}
          label={t.discoveryUrl}
          description={t.discoveryUrlHelp}
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
    </details>
  );
}
