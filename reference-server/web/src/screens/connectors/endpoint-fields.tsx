import { TextInput } from "@mantine/core";
import { useText } from "../../text/text";
import { LinesInput } from "../../parts/lines-input";
import type { Edit } from "../../parts/use-edit";
import { authMethods, type ConnectorValues, hasBraces, parameterName } from "./connector-values";
import { Discovery } from "./discovery";
import { Select } from "../../parts/fields";

const addresses = [
  "authorizationEndpoint",
  "tokenEndpoint",
  "revocationEndpoint",
  "accountEndpoint",
] as const;

/** Fields that a preset fills in well. */
const endpoints = ["issuer", ...addresses, "tokenEndpointAuthMethod", "authorizationParameters"];

/** Whether something is wrong with one of these fields. */
export function hasEndpointProblem(form: Edit<ConnectorValues>): boolean {
  return endpoints.some((name) => form.errorOf(name) !== undefined);
}

/** Whether a preset left something to be filled in there. */
export function isIncomplete(values: ConnectorValues): boolean {
  return hasBraces(values.issuer) || addresses.some((name) => hasBraces(values[name]));
}

/** Where the third party is, and what it wants to hear. */
export function EndpointFields({
  form,
  creates,
}: {
  readonly form: Edit<ConnectorValues>;
  readonly creates: boolean;
}) {
  const t = useText();
  const { values, set } = form;
  const helpFor = (name: (typeof addresses)[number]) => {
    if (hasBraces(values[name])) return t("connectors.fields.braces");
    return creates && name === "tokenEndpoint"
      ? t("connectors.fields.tokenEndpointNew")
      : t(`connectors.fields.${name}Help`);
  };
  const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false };
  return (
    <>
      <Discovery form={form} />
      {addresses.map((name) => (
        <TextInput
          key={name}
          {...form.field(name)}
          {...code}
          label={t(`connectors.fields.${name}`)}
          description={helpFor(name)}
        />
      ))}
      <Select
        label={t("connectors.fields.tokenEndpointAuthMethod")}
        value={values.tokenEndpointAuthMethod}
        onChange={(next) => {
          const chosen = authMethods.find((method) => method === next);
          if (chosen !== undefined) set({ tokenEndpointAuthMethod: chosen });
        }}
        data={authMethods.map((value) => ({ value, label: t(`connectors.authMethods.${value}`) }))}
        allowDeselect={false}
        error={form.errorOf("tokenEndpointAuthMethod")}
      />
      <LinesInput
        label={t("connectors.fields.authorizationParameters")}
        description={t("connectors.fields.authorizationParametersHelp")}
        addLabel={t("connectors.addParameter")}
        value={values.authorizationParameters}
        onChange={(authorizationParameters) => set({ authorizationParameters })}
        error={form.errorOf("authorizationParameters")}
        errorOf={(index) => {
          const name = parameterName(values.authorizationParameters[index] ?? "");
          return name === "" ? undefined : form.errorOf(`authorizationParameters.${name}`);
        }}
      />
    </>
  );
}

/** Which request headers go on, and how the audit trail names paths. */
export function CallDetails({ form }: { readonly form: Edit<ConnectorValues> }) {
  const t = useText();
  const { values, set } = form;
  return (
    <>
      <LinesInput
        label={t("connectors.fields.requestHeaders")}
        description={t("connectors.fields.requestHeadersHelp")}
        addLabel={t("connectors.addHeader")}
        value={values.requestHeaders}
        onChange={(requestHeaders) => set({ requestHeaders })}
        error={form.errorOf("requestHeaders")}
        errorOf={(index) => form.errorOf(`requestHeaders.${index}`)}
      />
      <LinesInput
        label={t("connectors.fields.pathTemplates")}
        description={t("connectors.fields.pathTemplatesHelp")}
        addLabel={t("connectors.addTemplate")}
        value={values.pathTemplates}
        onChange={(pathTemplates) => set({ pathTemplates })}
        error={form.errorOf("pathTemplates")}
        errorOf={(index) => form.errorOf(`pathTemplates.${index}`)}
      />
    </>
  );
}
