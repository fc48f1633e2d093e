import type { Connector } from "@admin/connectors";
import { Checkbox, PasswordInput, Switch, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useText } from "../../text/text";
import { LinesInput } from "../../parts/lines-input";
import { ScopesPicker } from "../../parts/pickers";
import type { Edit } from "../../parts/use-edit";
import "../../parts/lists.css";
import "./connectors.css";
import { type ConnectorValues, hasBraces, methods } from "./connector-values";
import { EndpointFields, hasEndpointProblem, isIncomplete, CallDetails } from "./endpoint-fields";
import { LimitFields } from "./limit-fields";
import { ScopeRows } from "./scope-rows";

/** Returns how a value stands in the comparison after a conflict; nothing for what is a text anyway. */
export function useDescribeValue() {
  const t = useText();
  return (name: string, value: unknown): string | undefined => {
    if (name !== "scopes") return undefined;
    return (value as ConnectorValues["scopes"])
      .map(({ scope, description, required, byDefault }) => {
        const flag = required
          ? t("connectors.scopes.required")
          : byDefault
            ? t("connectors.scopes.byDefault")
            : "";
        const words = [description, flag].filter(Boolean).join("; ");
        return words === "" ? scope : `${scope} (${words})`;
      })
      .join(", ");
  };
}

/** The fields of a connector in the order in which somebody fills them in; the key only until it exists. */
export function ConnectorFields({
  form,
  kind,
  hasSecret = false,
  creates = false,
}: {
  readonly form: Edit<ConnectorValues>;
  readonly kind: Connector["kind"];
  /** A secret is stored. */
  readonly hasSecret?: boolean;
  readonly creates?: boolean;
}) {
  const t = useText();
  const { values, set } = form;
  // Of a third party that nobody knows, the endpoints are no detail.
  const endpointsFirst = creates && kind === "oauth2";
  // What had to be filled in at first stays in sight while somebody does so.
  const [incomplete] = useState(() => creates && isIncomplete(values));
  const wrong = form.errorOf("pathTemplates") !== undefined || (!endpointsFirst && hasEndpointProblem(form));
  return (
    <>
      {endpointsFirst && (
        <Part title={t("connectors.endpoints")}>
          <EndpointFields form={form} creates />
        </Part>
      )}
      <Part title={t("connectors.application")}>
        <Application form={form} hasSecret={hasSecret} creates={creates} />
      </Part>
      <Part title={t("connectors.access")}>
        <ScopeRows form={form} />
        <ScopesPicker
          label={t("connectors.fields.requiredScopes")}
          description={t("connectors.fields.requiredScopesHelp")}
          value={values.requiredScopes}
          onChange={(requiredScopes) => set({ requiredScopes })}
          error={form.errorOf("requiredScopes")}
        />
      </Part>
      <Part title={t("connectors.calls")}>
        <LinesInput
          label={t("connectors.fields.requestPrefixes")}
          description={
            values.requestPrefixes.some(hasBraces)
              ? t("connectors.fields.braces")
              : t("connectors.fields.requestPrefixesHelp")
          }
          addLabel={t("connectors.addPrefix")}
          value={values.requestPrefixes}
          onChange={(requestPrefixes) => set({ requestPrefixes })}
          error={form.errorOf("requestPrefixes")}
          errorOf={(index) => form.errorOf(`requestPrefixes.${index}`)}
        />
        <Checkbox.Group
          label={t("connectors.fields.methods")}
          description={t("connectors.fields.methodsHelp")}
          value={[...values.methods]}
          onChange={(next) => set({ methods: methods.filter((method) => next.includes(method)) })}
          error={form.errorOf("methods")}
        >
          <div className="methods">
            {methods.map((method) => (
              <Checkbox key={method} value={method} label={<code>{method}</code>} />
            ))}
          </div>
        </Checkbox.Group>
        <LimitFields form={form} />
      </Part>
      <details className="more-fields" open={wrong || incomplete ? true : undefined}>
        <summary>{endpointsFirst ? t("connectors.moreOfOther") : t("connectors.more")}</summary>
        <div className="edit-fields">
          {!endpointsFirst && <EndpointFields form={form} creates={creates} />}
          <CallDetails form={form} />
        </div>
      </details>
      <Switch
        checked={values.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
        label={t("connectors.fields.enabled")}
        description={t("connectors.fields.enabledHelp")}
      />
      <LinesInput
        label={t("connectors.fields.owners")}
        description={t("connectors.fields.ownersHelp")}
        addLabel={t("connectors.addOwner")}
        value={values.owners}
        onChange={(owners) => set({ owners })}
        error={form.errorOf("owners")}
        errorOf={(index) => form.errorOf(`owners.${index}`)}
      />
    </>
  );
}

function Application(props: {
  readonly form: Edit<ConnectorValues>;
  readonly hasSecret: boolean;
  readonly creates: boolean;
}) {
  const { form, hasSecret, creates } = props;
  const t = useText();
  const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false };
  const noSecret = form.values.tokenEndpointAuthMethod === "none";
  return (
    <>
      <TextInput
        {...form.field("name")}
        label={t("connectors.fields.name")}
        description={t("connectors.fields.nameHelp")}
      />
      {creates && (
        <TextInput
          {...form.field("key")}
          {...code}
          label={t("connectors.fields.key")}
          description={t("connectors.fields.keyHelp")}
        />
      )}
      <TextInput
        {...form.field("clientId")}
        {...code}
        label={t("connectors.fields.clientId")}
        description={t("connectors.fields.clientIdHelp")}
      />
      <PasswordInput
        {...form.field("clientSecret")}
        label={t("connectors.fields.clientSecret")}
        description={
          noSecret
            ? t("connectors.fields.clientSecretNone")
            : hasSecret
              ? t("connectors.fields.clientSecretKept")
              : t("connectors.fields.clientSecretHelp")
        }
        disabled={noSecret}
        autoComplete="new-password"
        {...(hasSecret && !noSecret && { placeholder: "••••••••••••" })}
      />
    </>
  );
}

/** Some fields under a heading of their own. */
function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="form-part">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
