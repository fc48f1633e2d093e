import type { Client } from "@admin/clients";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo, useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { ClientFields, useKeyFault } from "./client-fields";
import {
  type ClientValues,
  clientTypes,
  emptyClient,
  fromClientValues,
  hasKeys,
  sendClient,
} from "./client-values";
import { MadeKey, saveKeyPair, useKeyPair } from "./key-pair";

/** A new client; the address may name its type: `/clients/new?type=machine`. Its key is made here unless it has one of its own. */
export default function ClientCreate() {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const [search] = useSearch();
  const inWords = useKeyFault();
  const pair = useKeyPair();
  const [ownKey, setOwnKey] = useState(false);
  const made = ownKey ? undefined : pair;
  const type = clientTypes.find((one) => one === search.get("type")) ?? "machine";
  const form = useEdit<ClientValues, Client>({
    initial: emptyClient(type),
    previews: "beside",
    send: (values, { preview }) => {
      const keys = made === undefined ? values.keys : [made.publicText];
      return sendClient(fromClientValues({ ...values, keys }, inWords), (body) =>
        request("/clients", { method: "POST", body, query: { preview: preview || undefined } }),
      );
    },
    onSaved: async () => {
      if (made !== undefined && hasKeys(form.values.type)) saveKeyPair(made);
      await forget("/clients");
      go(screenPath("clients", form.values.id), { replace: true });
    },
  });
  return (
    <Page title={t("clients.createTitle")} parent={{ to: "/clients", title: t("clients.title") }} narrow>
      <EditForm
        route="POST /clients"
        form={form}
        submitLabel={t("clients.createSubmit")}
        cancelTo="/clients"
        labels="clients.fields"
        creates
      >
        <ClientFields
          form={form}
          creates
          {...(made !== undefined && {
            madeKey: <MadeKey key={made.kid} pair={made} onOwn={() => setOwnKey(true)} />,
          })}
        />
      </EditForm>
    </Page>
  );
}
