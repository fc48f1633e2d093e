import type { Client } from "@admin/clients";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo, useSearch } from "../../app/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { ClientFields, useKeyFault } from "./client-fields";
import { type ClientValues, clientTypes, emptyClient, fromClientValues, sendClient } from "./client-values";

/** A new client; the address may name its type: `/clients/new?type=machine`. */
export default function ClientCreate() {
  const t = useText();
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
    <Page title={t("clients.createTitle")} parent={{ to: "/clients", title: t("clients.title") }} narrow>
      <EditForm
        form={form}
        submitLabel={t("clients.createSubmit")}
        cancelTo="/clients"
        labels="clients.fields"
        creates
      >
        <ClientFields form={form} creates />
      </EditForm>
    </Page>
  );
}
