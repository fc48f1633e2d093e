import type { Client } from "@admin/clients";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo, useSearch } from "../../app/links";
import { useMessages } from "../../messages/language";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { ClientFields, useClientLabels, useKeyFault } from "./client-fields";
import { type ClientValues, clientTypes, emptyClient, fromClientValues, sendClient } from "./client-values";
import { messages } from "./messages";

/** A new client; the address may name its type: `/clients/new?type=machine`. */
export default function ClientCreate() {
  const t = useMessages(messages);
  const go = useGo();
  const forget = useForget();
  const [search] = useSearch();
  const inWords = useKeyFault();
  const type = clientTypes.find((one) => one === search.get("type")) ?? "machine";
  const form = useEdit<ClientValues, Client>({
    initial: emptyClient(type),
    send: (values) =>
      sendClient(fromClientValues(values, inWords), (body) => request("/clients", { method: "POST", body })),
    onSaved: async () => {
      await forget("/clients");
      go(screenPath("clients", form.values.id), { replace: true });
    },
  });
  return (
    <Page title={t.createTitle} parent={{ to: "/clients", title: t.title }} narrow>
      <EditForm
        form={form}
        submitLabel={t.createSubmit}
        cancelTo="/clients"
        labels={useClientLabels()}
        creates
      >
        <ClientFields form={form} creates />
      </EditForm>
    </Page>
  );
}
