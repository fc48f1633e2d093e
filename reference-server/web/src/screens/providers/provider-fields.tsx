import { PasswordInput, Switch, TextInput } from "@mantine/core";
import { useText } from "../../text/text";
import "../../parts/lists.css";
import type { Edit } from "../../parts/use-edit";
import { defaultScopes, type ProviderValues } from "./provider-values";
import { Select, TagsInput } from "../../parts/fields";

const hour = 3600;
const methods = ["client_secret_basic", "client_secret_post", "none"] as const;
const attributes = ["externalId", "userName"] as const;
const claims = ["sub", "oid"] as const;
const rare = [
  "buttonLabel",
  "scopes",
  "tokenEndpointAuthMethod",
  "discoveryUrl",
  "provisioningAttribute",
  "provisioningClaim",
] as const;

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
  const t = useText();
  const { values, set } = form;
  const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false };
  const noSecret = values.tokenEndpointAuthMethod === "none";
  return (
    <>
      <TextInput
        {...form.field("name")}
        label={t("providers.fields.name")}
        description={t("providers.fields.nameHelp")}
      />
      {creates && (
        <TextInput
          {...form.field("key")}
          {...code}
          label={t("providers.fields.key")}
          description={t("providers.fields.keyHelp")}
        />
      )}
      <TextInput
        {...form.field("issuer")}
        {...code}
        label={t("providers.fields.issuer")}
        description={
          values.issuer.includes("{") ? t("providers.fields.issuerBraces") : t("providers.fields.issuerHelp")
        }
      />
      <TextInput
        {...form.field("clientId")}
        {...code}
        label={t("providers.fields.clientId")}
        description={t("providers.fields.clientIdHelp")}
      />
      <PasswordInput
        {...form.field("clientSecret")}
        label={t("providers.fields.clientSecret")}
        description={
          noSecret
            ? t("providers.fields.clientSecretNone")
            : hasSecret
              ? t("providers.fields.clientSecretKept")
              : t("providers.fields.clientSecretHelp")
        }
        disabled={noSecret}
        autoComplete="new-password"
        {...(hasSecret && !noSecret && { placeholder: "••••••••••••" })}
      />
      <TagsInput
        label={t("providers.fields.allowedEmailDomains")}
        description={t("providers.fields.allowedEmailDomainsHelp")}
        value={[...values.allowedEmailDomains]}
        onChange={(allowedEmailDomains) => set({ allowedEmailDomains })}
        error={form.errorOf("allowedEmailDomains")}
        splitChars={[",", ";", " "]}
        acceptValueOnBlur
      />
      <MoreFields form={form} />
      <Switch
        checked={values.allowsAssertions}
        onChange={(event) => set({ allowsAssertions: event.currentTarget.checked })}
        label={t("providers.fields.allowsAssertions")}
        description={t("providers.fields.allowsAssertionsHelp")}
        error={form.errorOf("allowsAssertions")}
      />
      <Switch
        checked={values.logoutEndsApps}
        onChange={(event) => set({ logoutEndsApps: event.currentTarget.checked })}
        label={t("providers.fields.logoutEndsApps")}
        description={t("providers.fields.logoutEndsAppsHelp")}
      />
      {!creates && <PresenceFields form={form} />}
      {!creates && (
        <Switch
          checked={values.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
          label={t("providers.fields.enabled")}
          description={t("providers.fields.enabledHelp")}
        />
      )}
    </>
  );
}

const presenceFields = ["presenceIntervalSeconds", "graceSeconds", "signInEveryDays"] as const;

/** Whether the provider is asked later about its people; the numbers only where they matter. */
function PresenceFields({ form }: { readonly form: Edit<ProviderValues> }) {
  const t = useText();
  const { values, set } = form;
  const number = (name: (typeof presenceFields)[number], unit: number, least: number) => {
    const value = values[name];
    return {
      label: t(`providers.fields.${name}`),
      description: t(`providers.fields.${name}Help`),
      type: "number",
      min: least,
      step: 1,
      value: value === null ? "" : value / unit,
      error: form.errorOf(name),
      autoComplete: "off",
    };
  };
  const read = (text: string, unit: number) => Math.round(Number(text) * unit);
  return (
    <>
      <Switch
        checked={values.presence === "on"}
        onChange={(event) => set({ presence: event.currentTarget.checked ? "on" : "off" })}
        label={t("providers.fields.presence")}
        description={t("providers.fields.presenceHelp")}
        error={form.errorOf("presence")}
      />
      {values.presence === "on" && (
        <>
          <TextInput
            {...number("presenceIntervalSeconds", hour, 1)}
            onChange={(event) => set({ presenceIntervalSeconds: read(event.currentTarget.value, hour) })}
          />
          <TextInput
            {...number("graceSeconds", hour, 0)}
            onChange={(event) => set({ graceSeconds: read(event.currentTarget.value, hour) })}
          />
        </>
      )}
      <TextInput
        {...number("signInEveryDays", 1, 1)}
        onChange={({ currentTarget: { value } }) =>
          set({ signInEveryDays: value === "" ? null : read(value, 1) })
        }
      />
    </>
  );
}

/** What most providers need no other value for; open when one has it, or when something is wrong with it. */
function MoreFields({ form }: { readonly form: Edit<ProviderValues> }) {
  const t = useText();
  const { values, set } = form;
  const unusual =
    values.buttonLabel !== "" ||
    values.discoveryUrl !== "" ||
    values.tokenEndpointAuthMethod !== null ||
    values.provisioningAttribute !== "externalId" ||
    values.provisioningClaim !== "sub" ||
    values.scopes.join(" ") !== defaultScopes.join(" ");
  const wrong = rare.some((name) => form.errorOf(name) !== undefined);
  return (
    <details className="more-fields" open={unusual || wrong ? true : undefined}>
      <summary>{t("providers.more")}</summary>
      <div className="edit-fields">
        <TextInput
          {...form.field("buttonLabel")}
          label={t("providers.fields.buttonLabel")}
          description={t("providers.fields.buttonLabelHelp")}
        />
        <TagsInput
          label={t("providers.fields.scopes")}
          description={t("providers.fields.scopesHelp")}
          value={[...values.scopes]}
          onChange={(scopes) => set({ scopes })}
          error={form.errorOf("scopes")}
          splitChars={[",", " "]}
          acceptValueOnBlur
          classNames={{ pill: "mono" }}
        />
        <Select
          label={t("providers.fields.tokenEndpointAuthMethod")}
          value={values.tokenEndpointAuthMethod ?? "metadata"}
          onChange={(next) =>
            set({ tokenEndpointAuthMethod: methods.find((method) => method === next) ?? null })
          }
          data={(["metadata", ...methods] as const).map((value) => ({
            value,
            label: t(`providers.authMethods.${value}`),
          }))}
          allowDeselect={false}
          error={form.errorOf("tokenEndpointAuthMethod")}
        />
        <TextInput
          {...form.field("discoveryUrl")}
          label={t("providers.fields.discoveryUrl")}
          description={t("providers.fields.discoveryUrlHelp")}
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
        />
        <Select
          label={t("providers.fields.provisioningAttribute")}
          description={t("providers.fields.provisioningAttributeHelp")}
          value={values.provisioningAttribute}
          onChange={(next) =>
            set({ provisioningAttribute: attributes.find((name) => name === next) ?? "externalId" })
          }
          data={[...attributes]}
          allowDeselect={false}
          error={form.errorOf("provisioningAttribute")}
          classNames={{ input: "mono" }}
        />
        <Select
          label={t("providers.fields.provisioningClaim")}
          description={t("providers.fields.provisioningClaimHelp")}
          value={values.provisioningClaim}
          onChange={(next) => set({ provisioningClaim: claims.find((name) => name === next) ?? "sub" })}
          data={[...claims]}
          allowDeselect={false}
          error={form.errorOf("provisioningClaim")}
          classNames={{ input: "mono" }}
        />
      </div>
    </details>
  );
}
