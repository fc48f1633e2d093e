import type { CreateResource } from "@admin/resources";
import { Switch, TextInput } from "@mantine/core";
import { useMessages } from "../../messages/language";
import { LinesInput } from "../../parts/lines-input";
import { ScopesPicker } from "../../parts/pickers";
import type { Edit } from "../../parts/use-edit";
import { messages } from "./messages";

/** A resource as a form has it: everything is there. */
export type ResourceValues = Required<CreateResource>;

export const emptyResource: ResourceValues = {
  key: "",
  name: "",
  resource: "",
  authorizationServer: "",
  clientId: "authz-cli",
  requestPrefixes: [""],
  supportedScopes: [],
  enabled: true,
  skillDiscovery: true,
  allowsBearer: false,
};

/** Takes what a form needs out of something that has more. */
export function toResourceValues(resource: ResourceValues): ResourceValues {
  const { key, name, authorizationServer, clientId, requestPrefixes, supportedScopes } = resource;
  const { enabled, skillDiscovery, allowsBearer } = resource;
  return {
    key,
    name,
    resource: resource.resource,
    authorizationServer,
    clientId,
    requestPrefixes,
    supportedScopes,
    enabled,
    skillDiscovery,
    allowsBearer,
  };
}

/** What is sent: lines without text are no prefixes. */
export function fromResourceValues(values: ResourceValues): ResourceValues {
  return { ...values, requestPrefixes: values.requestPrefixes.filter((line) => line.trim() !== "") };
}

/** The labels of every field, for conflicts. */
export function useResourceLabels() {
  return useMessages(messages).fields;
}

/** The fields of a resource; the key only until it exists. */
export function ResourceFields({
  form,
  withKey = false,
}: {
  readonly form: Edit<ResourceValues>;
  readonly withKey?: boolean;
}) {
  const { fields: t } = useMessages(messages);
  const { values, set } = form;
  const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false };
  return (
    <>
      <TextInput {...form.field("name")} label={t.name} description={t.nameHelp} />
      {withKey && <TextInput {...form.field("key")} {...code} label={t.key} description={t.keyHelp} />}
      <TextInput {...form.field("resource")} {...code} label={t.resource} description={t.resourceHelp} />
      <TextInput
        {...form.field("authorizationServer")}
        {...code}
        label={t.authorizationServer}
        description={t.authorizationServerHelp}
      />
      <TextInput {...form.field("clientId")} {...code} label={t.clientId} description={t.clientIdHelp} />
      <LinesInput
        label={t.requestPrefixes}
        description={t.requestPrefixesHelp}
        addLabel={t.addPrefix}
        value={values.requestPrefixes}
        onChange={(requestPrefixes) => set({ requestPrefixes })}
        error={form.errorOf("requestPrefixes")}
        errorOf={(index) => form.errorOf(`requestPrefixes.${index}`)}
      />
      <ScopesPicker
        label={t.supportedScopes}
        description={t.supportedScopesHelp}
        value={values.supportedScopes}
        onChange={(supportedScopes) => set({ supportedScopes })}
        error={form.errorOf("supportedScopes")}
      />
      {(["enabled", "skillDiscovery", "allowsBearer"] as const).map((name) => (
        <Switch
          key={name}
          checked={values[name]}
          onChange={(event) => set({ [name]: event.currentTarget.checked })}
          label={t[name]}
          description={t[`${name}Help`]}
        />
      ))}
    </>
  );
}
