import type { Connector } from "@admin/connectors";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useParam } from "../../address/links";
import { useText } from "../../text/text";
import { Copyable } from "../../parts/copyable";
import { EditForm } from "../../parts/edit-form";
import { Loaded } from "../../parts/loaded";
import { useEdit } from "../../parts/use-edit";
import { HealthNotice } from "../usage/health";
import { AccessTo, HistoryOf } from "../objects/object-sections";
import { UsageOf } from "../usage/usage-of";
import { RulesSection } from "../rules/rules-section";
import { ConnectorFields, useDescribeValue } from "./connector-fields";
import { ConnectorFrame } from "./connector-frame";
import { CredentialsTest } from "./credentials-test";
import { testInBackground } from "./testing";
import { type ConnectorValues, toConnectorPatch, toConnectorValues } from "./connector-values";

export default function ConnectorEdit() {
  const key = useParam("key");
  const answer = useItem<Connector>(apiPath("connectors", key));
  return (
    <Loaded answer={answer}>{(connector) => <Editor key={connector.key} connector={connector} />}</Loaded>
  );
}

const changes = [
  "connector.created",
  "connector.changed",
  "connector.removed",
  "connector.disconnected",
  "rules.changed",
];

function Editor({ connector }: { readonly connector: Connector }) {
  const t = useText();
  const forget = useForget();
  const { key, kind, callbackUrl, hasClientSecret } = connector;
  const form = useEdit<ConnectorValues, Connector>({
    initial: toConnectorValues(connector),
    version: connector.version,
    previews: true,
    send: (values, { version, preview }) =>
      request(apiPath("connectors", key), {
        method: "PATCH",
        body: toConnectorPatch(values),
        version,
        query: { preview: preview || undefined },
      }),
    toValues: toConnectorValues,
    onSaved: async (saved) => {
      await forget("/connectors", "/connections", "/connector-keys", "/scopes", "/overview");
      // Its credentials are others than those that were tested.
      const isUntested = connector.test !== null && (saved as Connector).test === null;
      if (isUntested) void testInBackground(key, forget);
    },
  });
  return (
    <ConnectorFrame connector={connector} current="settings">
      {connector.enabled && <HealthNotice type="connector" id={key} />}
      <CredentialsTest connector={connector} />
      <EditForm
        route="PATCH /connectors/{key}"
        form={form}
        submitLabel={t("parts.save")}
        labels="connectors.fields"
        secrets={["clientSecret"]}
        describeValue={useDescribeValue()}
      >
        <div className="note-box">
          <p>{t("connectors.callback")}</p>
          <Copyable>{callbackUrl}</Copyable>
        </div>
        <ConnectorFields form={form} kind={kind} hasSecret={hasClientSecret} />
      </EditForm>
      <RulesSection list="connectors" object={connector} />
      <AccessTo subject={{ list: "connectors", key }} />
      <UsageOf subject={{ connector: key }} />
      <HistoryOf query={{ connector: key, type: changes }} />
    </ConnectorFrame>
  );
}
