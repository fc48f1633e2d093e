import type { ConnectorKeys } from "@admin/connector-keys";
import type { Connector, ConnectorKind, ConnectorKinds } from "@admin/connectors";
import { useForget, useItem } from "../../api/queries";
import { request } from "../../api/request";
import { useSession } from "../../api/session";
import { Link, screenPath, useGo, useSearch, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { Copyable } from "../../parts/copyable";
import { EditForm } from "../../parts/edit-form";
import { Loaded } from "../../parts/loaded";
import { LinkButton, Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { ConnectorFields } from "./connector-fields";
import { type ConnectorValues, startValues, toNewConnector } from "./connector-values";
import { KeyMissing } from "./key-missing";
import { KindMark } from "./kind-mark";
import { testInBackground } from "./testing";

/** First whether secrets can be kept at all, then which third party, then its form. */
export default function ConnectorCreate() {
  const t = useText();
  const [search] = useSearch();
  const keys = useItem<ConnectorKeys>("/connector-keys");
  const kinds = useItem<ConnectorKinds>("/connector-kinds");
  return (
    <Loaded answer={keys}>
      {(state) =>
        state.state === "ready" ? (
          <Loaded answer={kinds}>
            {({ items }) => {
              const chosen = items.find(({ kind }) => kind === search.get("kind"));
              return chosen === undefined ? (
                <ChooseKind kinds={items} />
              ) : (
                <NewConnectorForm key={chosen.kind} kind={chosen} />
              );
            }}
          </Loaded>
        ) : (
          <Page
            title={t("connectors.create")}
            parent={{ to: "/connectors", title: t("connectors.title") }}
            narrow
          >
            <KeyMissing keys={state} />
          </Page>
        )
      }
    </Loaded>
  );
}

function ChooseKind({ kinds }: { readonly kinds: readonly ConnectorKind[] }) {
  const t = useText();
  return (
    <Page
      title={t("connectors.choose.title")}
      lead={t("connectors.choose.lead")}
      parent={{ to: "/connectors", title: t("connectors.title") }}
      narrow
    >
      <ul className="kind-cards">
        {kinds.map(({ kind, name, description }) => (
          <li key={kind}>
            <Link to={withQuery("/connectors/new", { kind })}>
              <KindMark kind={kind} />
              <span>
                <strong>{name}</strong>
                <span className="muted">{description}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  );
}

function NewConnectorForm({ kind }: { readonly kind: ConnectorKind }) {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const form = useEdit<ConnectorValues, Connector>({
    initial: startValues(kind),
    send: (values) => request("/connectors", { method: "POST", body: toNewConnector(kind.kind, values) }),
    onSaved: async () => {
      await forget("/connectors", "/connector-keys", "/scopes", "/overview");
      const key = form.values.key.trim();
      void testInBackground(key, forget);
      go(screenPath("connectors", key), { replace: true });
    },
  });
  return (
    <Page
      title={t("connectors.chosen.new", { kind: kind.name })}
      parent={{ to: "/connectors", title: t("connectors.title") }}
      narrow
      actions={<LinkButton to="/connectors/new">{t("connectors.chosen.other")}</LinkButton>}
    >
      <EditForm
        route="POST /connectors"
        form={form}
        submitLabel={t("connectors.createSubmit")}
        cancelTo="/connectors"
        labels="connectors.fields"
        secrets={["clientSecret"]}
        creates
      >
        <Registration kind={kind} connectorKey={form.values.key.trim()} />
        <ConnectorFields form={form} kind={kind.kind} creates />
      </EditForm>
    </Page>
  );
}

/** What to do at the third party first: in words, with its page and the address to enter there. */
function Registration({
  kind: { registration, registrationUrl },
  connectorKey,
}: {
  readonly kind: ConnectorKind;
  /** Empty until somebody has typed one. */
  readonly connectorKey: string;
}) {
  const t = useText();
  const { issuer } = useSession();
  return (
    <div className="note-box">
      <h2>{t("connectors.register.title")}</h2>
      <p>{registration}</p>
      {registrationUrl !== null && (
        <p>
          <a href={registrationUrl} target="_blank" rel="noreferrer">
            {t("connectors.register.open")}
          </a>
        </p>
      )}
      <p>{t("connectors.register.callback")}</p>
      <Copyable>{`${issuer}/connections/callback/${connectorKey || "{key}"}`}</Copyable>
    </div>
  );
}
