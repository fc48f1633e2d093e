import type { Resource } from "@admin/resources";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo } from "../../address/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { emptyResource, fromResourceValues, ResourceFields, type ResourceValues } from "./resource-fields";

/** For services that publish nothing about themselves. */
export default function ResourceCreate() {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const form = useEdit<ResourceValues, Resource>({
    initial: emptyResource,
    previews: "beside",
    send: (values, { preview }) =>
      request("/resources", {
        method: "POST",
        body: fromResourceValues(values),
        query: { preview: preview || undefined },
      }),
    onSaved: async () => {
      await forget("/resources", "/scopes");
      go(screenPath("resources", form.values.key), { replace: true });
    },
  });
  return (
    <Page
      title={t("resources.wizard.manualTitle")}
      parent={{ to: "/resources", title: t("resources.title") }}
      narrow
    >
      <EditForm
        route="POST /resources"
        form={form}
        submitLabel={t("resources.wizard.save")}
        cancelTo="/resources"
        labels="resources.fields"
        creates
      >
        <ResourceFields form={form} withKey />
      </EditForm>
    </Page>
  );
}
