import type { Client } from "@admin/clients";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../api/change";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useGo, useParam, withQuery } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { partsMessages } from "../../messages/parts";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Facts, LinkButton, Page, Section } from "../../parts/page";
import { toast } from "../../parts/toasts";
import { useEdit } from "../../parts/use-edit";
import { ClientFields, useClientLabels, useKeyFault } from "./client-fields";
import {
  type ClientValues,
  fromClientValues,
  sendClient,
  toClientPatch,
  toClientValues,
} from "./client-values";
import { messages } from "./messages";

export default function ClientEdit() {
  const id = useParam("id");
  const answer = useItem<Client>(apiPath("clients", id));
  return <Loaded answer={answer}>{(client) => <Editor key={client.id} client={client} />}</Loaded>;
}

function Editor({ client }: { readonly client: Client }) {
  const t = useMessages(messages);
  const { history } = useMessages(partsMessages);
  const [deleting, setDeleting] = useState(false);
  const { id, name, type, builtIn, logIns } = client;
  return (
    <Page
      title={name}
      lead={
        <>
          {t.one[type]} · <Identifier>{id}</Identifier>
        </>
      }
      parent={{ to: "/clients", title: t.title }}
      narrow
      actions={
        <>
          <LinkButton icon="history" to={withQuery("/audit", { client: id })}>
            {history}
          </LinkButton>
          {!builtIn && (
            <Button variant="default" onClick={() => setDeleting(true)}>
              {t.delete}
            </Button>
          )}
        </>
      }
    >
      {builtIn ? <BuiltIn client={client} /> : <ClientForm client={client} />}
      {type !== "machine" && (
        <Section
          title={t.devices(formatNumber(logIns))}
          actions={
            logIns > 0 && (
              <LinkButton to={withQuery("/sessions/devices", { client: id, state: "live" })}>
                {t.showDevices}
              </LinkButton>
            )
          }
        >
          {logIns === 0 && <p className="muted">{t.noDevices}</p>}
        </Section>
      )}
      {deleting && <DeleteClient client={client} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function BuiltIn({ client }: { readonly client: Client }) {
  const { fields: t, builtInHelp } = useMessages(messages);
  return (
    <div className="stack">
      <p>{builtInHelp}</p>
      <Facts
        items={[
          [
            t.redirectUris,
            <ul key="uris" className="plain-list">
              {client.redirectUris.map((uri) => (
                <li key={uri}>
                  <Identifier>{uri}</Identifier>
                </li>
              ))}
            </ul>,
          ],
        ]}
      />
    </div>
  );
}

function ClientForm({ client }: { readonly client: Client }) {
  const { save } = useMessages(partsMessages);
  const forget = useForget();
  const inWords = useKeyFault();
  const initial = toClientValues(client);
  const form = useEdit<ClientValues, Client>({
    initial,
    version: client.version,
    send: (values, { version }) =>
      sendClient(fromClientValues(values, inWords), (body) =>
        request(apiPath("clients", client.id), { method: "PATCH", body: toClientPatch(body), version }),
      ),
    toValues: toClientValues,
    onSaved: () => forget("/clients"),
  });
  return (
    <EditForm form={form} submitLabel={save} labels={useClientLabels()}>
      <ClientFields form={form} storedKeys={initial.keys} />
    </EditForm>
  );
}

function DeleteClient({ client, onClose }: { readonly client: Client; readonly onClose: () => void }) {
  const t = useMessages(messages);
  const go = useGo();
  const forget = useForget();
  const change = useChange("/clients");
  const { id, name, version } = client;
  return (
    <ConfirmDestructive
      title={t.deleteTitle(name)}
      name={id}
      confirmLabel={t.deleteSubmit}
      onConfirm={async () => {
        await change(apiPath("clients", id), { method: "DELETE", version });
        toast(t.deleted(name));
        go("/clients", { replace: true });
        await forget("/clients");
      }}
      onClose={onClose}
    >
      <p>{t.deleteText}</p>
    </ConfirmDestructive>
  );
}
