import type { Resource } from "@admin/resources";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo } from "../../app/links";
import { useMessages } from "../../messages/language";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { messages } from "./messages";
import {
  emptyResource,
  fromResourceValues,
  ResourceFields,
  type ResourceValues,
  useResourceLabels,
} from "./resource-fields";

/** For services that publish nothing about themselves. */
export default function ResourceCreate() {
  const t = useMessages(messages);
  const go = useGo();
  const forget = useForget();
  const form = useEdit<ResourceValues, Resource>({
    initial: emptyResource,
    previews: true,
    send: (values, { preview }) =>
      request("/resources", {
        method: "POST",
        body: fromResourceValues(values),
        query: { preview: preview || undefined },
      }),
    onSaved: async () => {
      await forget("/resources", "/scopes");
      go(screenPath("resources"), { replace: true });
    },
  });
  return (
    <Page title={t.wizard.manualTitle} parent={{ to: "/resources", title: t.title }} narrow>
      <EditForm
        form={form}
        submitLabel={t.wizard.save}
        cancelTo="/resources"
        labels={useResourceLabels()}
        creates
      >
        <ResourceFields form={form} withKey />
      </EditForm>
    </Page>
  );
}
