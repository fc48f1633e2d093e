import type { CreateResource } from "@admin/resources";
import { Switch, TextInput } from "@mantine/core";
import { useText } from "../../text/text";
import { fromOwnerLines, type Owner, toOwnerLine } from "../../parts/owners";
import { DetailsTypesInput } from "./details-types-input";
import { LinesInput } from "../../parts/lines-input";
import { ScopesPicker } from "../../parts/pickers";
import type { Edit } from "../../parts/use-edit";

/** A resource as a form has it: everything is there but its rules, which have a form of their own. */
export type ResourceValues = {
  [Name in Exclude<keyof CreateResource, "owners" | "rules">]-?: NonNullable<CreateResource[Name]>;
} & {
  /** A line for each. */
  readonly owners: string[];
};

/** What a new service begins with, in the order of the form. */
export const emptyResource: ResourceValues = {
  name: "",
  key: "",
  resource: "",
  authorizationServer: "",
  clientId: "authz-cli",
  requestPrefixes: [""],
  supportedScopes: [],
  requestHeaders: [],
  enabled: true,
  skillDiscovery: true,
  allowsBearer: false,
  agentCalls: true,
  owners: [],
  authorizationDetailsTypes: [],
};

type Member = keyof ResourceValues;
const members = Object.keys(emptyResource) as Member[];

/** Takes what a form needs out of something that has more. */
export function toResourceValues(
  resource: Omit<ResourceValues, "owners"> & { readonly owners?: readonly Owner[] | undefined },
): ResourceValues {
  const values = { ...resource, owners: (resource.owners ?? []).map(toOwnerLine) };
  return Object.fromEntries(members.map((name) => [name, values[name]])) as ResourceValues;
}

/** What is sent: lines without text mean nothing. */
export function fromResourceValues(values: ResourceValues) {
  const { requestPrefixes, requestHeaders, owners } = values;
  return {
    ...values,
    owners: fromOwnerLines(owners),
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
  return members
    .filter((name) => withKey || name !== "key")
    .map((name) => <Field key={name} form={form} name={name} />);
}

/** What can be changed of the resource that belongs to the server. */
export function BuiltInFields({ form }: { readonly form: Edit<ResourceValues> }) {
  const t = useText();
  return (
    <>
      <p>{t("resources.builtInHelp", { address: form.values.resource })}</p>
      <TextInput {...form.field("name")} label={t("resources.fields.name")} />
      <Field form={form} name="enabled" />
      <Field form={form} name="allowsBearer" />
    </>
  );
}

const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false };

const addLabels = {
  requestPrefixes: "resources.fields.addPrefix",
  requestHeaders: "resources.fields.addHeader",
  owners: "resources.fields.addOwner",
} as const;

/** The control of a member, by the type of its value. */
function Field({ form, name }: { readonly form: Edit<ResourceValues>; readonly name: Member }) {
  const t = useText();
  const { values, set, errorOf } = form;
  const value = values[name];
  const texts = { label: t(`resources.fields.${name}`), description: t(`resources.fields.${name}Help`) };
  if (typeof value === "boolean")
    return (
      <Switch {...texts} checked={value} onChange={(event) => set({ [name]: event.currentTarget.checked })} />
    );
  if (typeof value === "string")
    return <TextInput {...form.field(name)} {...texts} {...(name !== "name" && code)} value={value} />;
  if (name === "authorizationDetailsTypes")
    return (
      <DetailsTypesInput
        {...texts}
        value={values[name]}
        onChange={(next) => set({ [name]: next })}
        error={errorOf(name)}
      />
    );
  const lines = value as string[];
  const list = {
    ...texts,
    value: lines,
    onChange: (next: string[]) => set({ [name]: next }),
    error: errorOf(name),
  };
  if (name === "supportedScopes") return <ScopesPicker {...list} />;
  return (
    <LinesInput
      {...list}
      addLabel={t(addLabels[name as keyof typeof addLabels])}
      errorOf={(index) => errorOf(`${name}.${index}`)}
    />
  );
}
