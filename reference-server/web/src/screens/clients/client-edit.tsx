import type { Client } from "@admin/clients";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useParam, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";
import { DeleteObject } from "../../parts/delete-object";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Facts, LinkButton, Page, Section } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { HistoryOf, UsersOf } from "../objects/object-sections";
import { StopButton, StopNotice } from "../stops/stop-of";
import { UsageOf } from "../usage/usage-of";
import { ClientFields, useKeyFault } from "./client-fields";
import {
  type ClientValues,
  fromClientValues,
  sendClient,
  toClientPatch,
  toClientValues,
} from "./client-values";
import { FirstCall } from "./first-call";
import { SignOutClient } from "./sign-out-client";
import { Addresses, UnregisteredClient } from "./unregistered-client";

export default function ClientEdit() {
  const id = useParam("id");
  const answer = useItem<Client>(apiPath("clients", id));
  return <Loaded answer={answer}>{(client) => <Editor key={client.id} client={client} />}</Loaded>;
}

const changes = [
  "client.created",
  "client.changed",
  "client.removed",
  "client.registered",
  "client_document.changed",
  "client_document.refused",
];

function Editor({ client }: { readonly client: Client }) {
  const t = useText();
  const [asking, setAsking] = useState<"delete" | "signOut">();
  const close = () => setAsking(undefined);
  const { id, name, type, source, builtIn, grants } = client;
  const subject = { kind: "client", client: { id, name } } as const;
  return (
    <Page
      title={name}
      lead={
        <>
          {t(`clients.one.${type}`)} · <Identifier>{id}</Identifier>
        </>
      }
      parent={{ to: "/clients", title: t("clients.title") }}
      narrow
      actions={
        <>
          <LinkButton icon="history" to={withQuery("/audit", { client: id })}>
            {t("parts.history")}
          </LinkButton>
          <StopButton subject={subject} label={t("stops.stop")} />
          {!builtIn && (
            <ActionButton route="DELETE /clients/{id}" variant="default" onClick={() => setAsking("delete")}>
              {t("clients.delete")}
            </ActionButton>
          )}
        </>
      }
    >
      <StopNotice subject={subject} />
      {builtIn ? (
        <BuiltIn client={client} />
      ) : source === "registered" ? (
        <ClientForm client={client} />
      ) : (
        <UnregisteredClient client={client} />
      )}
      {type !== "machine" && grants > 0 && (
        <Section
          title={t("clients.signedIn", { count: grants })}
          actions={
            <div className="page-actions">
              <LinkButton to={withQuery("/sessions/devices", { client: id, state: "live" })}>
                {t("clients.showSignedIn")}
              </LinkButton>
              <ActionButton
                route="POST /clients/{id}/sign-outs"
                variant="default"
                onClick={() => setAsking("signOut")}
              >
                {t("clients.signOut")}
              </ActionButton>
            </div>
          }
        />
      )}
      {type === "machine" && !builtIn && <FirstCall client={client} />}
      {type !== "machine" && <UsersOf client={id} />}
      <UsageOf subject={{ client: id }} />
      <HistoryOf query={{ client: id, type: changes }} />
      {asking === "delete" && <DeleteClient client={client} onClose={close} />}
      {asking === "signOut" && <SignOutClient client={client} onClose={close} />}
    </Page>
  );
}

function BuiltIn({ client }: { readonly client: Client }) {
  const t = useText();
  return (
    <div className="stack">
      <p>{t("clients.builtInHelp")}</p>
      <Facts
        items={[[t("clients.fields.redirectUris"), <Addresses key="uris" uris={client.redirectUris} />]]}
      />
    </div>
  );
}

function ClientForm({ client }: { readonly client: Client }) {
  const t = useText();
  const forget = useForget();
  const inWords = useKeyFault();
  const initial = toClientValues(client);
  const form = useEdit<ClientValues, Client>({
    initial,
    version: client.version,
    previews: true,
    send: (values, { version, preview }) =>
      sendClient(fromClientValues(values, inWords), (body) =>
        request(apiPath("clients", client.id), {
          method: "PATCH",
          body: toClientPatch(body),
          version,
          query: { preview: preview || undefined },
        }),
      ),
    toValues: toClientValues,
    onSaved: () => forget("/clients"),
  });
  return (
    <EditForm route="PATCH /clients/{id}" form={form} submitLabel={t("parts.save")} labels="clients.fields">
      <ClientFields form={form} storedKeys={initial.keys} />
    </EditForm>
  );
}

function DeleteClient({ client, onClose }: { readonly client: Client; readonly onClose: () => void }) {
  const t = useText();
  const { id, name, source, version } = client;
  return (
    <DeleteObject list="clients" object={{ key: id, name, version }} texts="clients" onClose={onClose}>
      <p>{t("clients.deleteText")}</p>
      {source === "metadata_document" && <p>{t("clients.deleteDocumentText")}</p>}
    </DeleteObject>
  );
}
