import type { GroupProvider } from "@admin/groups";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo, useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { DirectoryCheck } from "./directory-check";
import { GroupProviderFields } from "./group-provider-fields";
import { emptyGroupProvider, type GroupProviderValues, toNewGroupProvider } from "./group-provider-values";

/** A new group provider; the address may name the sign-in provider: `/group-providers/new?provider=acme`. */
export default function GroupProviderCreate() {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const [search] = useSearch();
  const form = useEdit<GroupProviderValues, GroupProvider>({
    initial: { ...emptyGroupProvider, provider: search.get("provider") ?? "" },
    previews: "beside",
    send: (values, { preview }) =>
      request("/group-providers", {
        method: "POST",
        body: toNewGroupProvider(values),
        query: { preview: preview || undefined },
      }),
    onSaved: async () => {
      await forget("/group-providers", "/identity-providers", "/groups");
      go(screenPath("group-providers", form.values.key), { replace: true });
    },
  });
  return (
    <Page
      title={t("groups.createTitle")}
      parent={{ to: "/group-providers", title: t("groups.title") }}
      narrow
    >
      <EditForm
        route="POST /group-providers"
        form={form}
        submitLabel={t("groups.createSubmit")}
        cancelTo="/group-providers"
        labels="groups.fields"
        secrets={["secret"]}
        creates
      >
        <GroupProviderFields form={form} creates />
      </EditForm>
      {form.values.type === "directory" && <DirectoryCheck values={form.values} />}
    </Page>
  );
}
