import type { CreateResource } from "@admin/resources";
import { Switch, TextInput } from "@mantine/core";
import { useText } from "../../text/text";
import { LinesInput } from "../../parts/lines-input";
import { ScopesPicker } from "../../parts/pickers";
import type { Edit } from "../../parts/use-edit";

/** A resource as a form has it: everything is there. */
export type ResourceValues = { [Name in keyof CreateResource]-?: NonNullable<CreateResource[Name]> };

export const emptyResource: ResourceValues = {
  key: "",
  name: "",
  resource: "",
  authorizationServer: "",
  clientId: "authz-cli",
  requestPrefixes: [""],
  requestHeaders: [],
  supportedScopes: [],
  enabled: true,
  skillDiscovery: true,
  allowsBearer: false,
  agentCalls: true,
};

/** Takes what a form needs out of something that has more. */
export function toResourceValues(resource: ResourceValues): ResourceValues {
  const { key, name, authorizationServer, clientId, requestPrefixes, requestHeaders, supportedScopes } =
    resource;
  const { enabled, skillDiscovery, allowsBearer, agentCalls } = resource;
  return {
    key,
    name,
    resource: resource.resource,
    authorizationServer,
    clientId,
    requestPrefixes,
    requestHeaders,
    supportedScopes,
    enabled,
    skillDiscovery,
    allowsBearer,
    agentCalls,
  };
}

/** What is sent: lines without text mean nothing. */
export function fromResourceValues(values: ResourceValues): ResourceValues {
  const { requestPrefixes, requestHeaders } = values;
  return {
    ...values,
    requestPrefixes: requestPrefixes.filter((line) => line.trim() !== ""),
    requestHeaders: requestHeaders.map((line) => line.trim()).filter((line) => line !== ""),
  };
}

/** The fields of a resource; the key only until it exists. */
export function ResourceFields({
  form,
  withKey = false,
}: {
  readonly form: Edit<ResourceValues>;
  readonly withKey?: boolean;
}) {
  const t = useText();
  const { values, set } = form;
  const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false };
  return (
    <>
      <TextInput
        {...form.field("name")}
        label={t("resources.fields.name")}
        description={t("resources.fields.nameHelp")}
      />
      {withKey && (
        <TextInput
          {...form.field("key")}
          {...code}
          label={t("resources.fields.key")}
          description={t("resources.fields.keyHelp")}
        />
      )}
      <TextInput
        {...form.field("resource")}
        {...code}
        label={t("resources.fields.resource")}
        description={t("resources.fields.resourceHelp")}
      />
      <TextInput
        {...form.field("authorizationServer")}
        {...code}
        label={t("resources.fields.authorizationServer")}
        description={t("resources.fields.authorizationServerHelp")}
      />
      <TextInput
        {...form.field("clientId")}
        {...code}
        label={t("resources.fields.clientId")}
        description={t("resources.fields.clientIdHelp")}
      />
      <LinesInput
        label={t("resources.fields.requestPrefixes")}
        description={t("resources.fields.requestPrefixesHelp")}
        addLabel={t("resources.fields.addPrefix")}
        value={values.requestPrefixes}
        onChange={(requestPrefixes) => set({ requestPrefixes })}
        error={form.errorOf("requestPrefixes")}
        errorOf={(index) => form.errorOf(`requestPrefixes.${index}`)}
      />
      <ScopesPicker
        label={t("resources.fields.supportedScopes")}
        description={t("resources.fields.supportedScopesHelp")}
        value={values.supportedScopes}
        onChange={(supportedScopes) => set({ supportedScopes })}
        error={form.errorOf("supportedScopes")}
      />
      <LinesInput
        label={t("resources.fields.requestHeaders")}
        description={t("resources.fields.requestHeadersHelp")}
        addLabel={t("resources.fields.addHeader")}
        value={values.requestHeaders}
        onChange={(requestHeaders) => set({ requestHeaders })}
        error={form.errorOf("requestHeaders")}
        errorOf={(index) => form.errorOf(`requestHeaders.${index}`)}
      />
      <Switches form={form} names={["enabled", "skillDiscovery", "allowsBearer", "agentCalls"]} />
    </>
  );
}

/** What can be changed of the resource that belongs to the server. */
export function BuiltInFields({ form }: { readonly form: Edit<ResourceValues> }) {
  const t = useText();
  return (
    <>
      <p>{t("resources.builtInHelp", { address: form.values.resource })}</p>
      <TextInput {...form.field("name")} label={t("resources.fields.name")} />
      <Switches form={form} names={["enabled", "allowsBearer"]} />
    </>
  );
}

function Switches({
  form: { values, set },
  names,
}: {
  readonly form: Edit<ResourceValues>;
  readonly names: readonly ("enabled" | "skillDiscovery" | "allowsBearer" | "agentCalls")[];
}) {
  const t = useText();
  return names.map((name) => (
    <Switch
      key={name}
      checked={values[name]}
      onChange={(event) => set({ [name]: event.currentTarget.checked })}
      label={t(`resources.fields.${name}`)}
      description={t(`resources.fields.${name}Help`)}
    />
  ));
}
