import type { AccessRequestDetail } from "@admin/access-requests";
import { Textarea } from "@mantine/core";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useText } from "../../text/text";
import { Dialog } from "../../parts/dialog";
import { EditForm } from "../../parts/edit-form";
import { useEdit } from "../../parts/use-edit";

/** Declines a request, with an optional note for the person. */
export function DeclineDialog(props: { readonly found: AccessRequestDetail; readonly onClose: () => void }) {
  const { found, onClose } = props;
  const t = useText();
  const forget = useForget();
  const form = useEdit<{ readonly note: string }, never>({
    initial: { note: "" },
    send: async ({ note }) =>
      await request(`${apiPath("access-requests", found.id)}/declines`, {
        method: "POST",
        body: note.trim() === "" ? {} : { note },
        version: found.version,
      }),
    onSaved: async () => {
      await forget("/access-requests");
      onClose();
    },
  });
  return (
    <Dialog title={t("access-requests.declineTitle")} onClose={onClose}>
      <EditForm
        route="POST /access-requests/{id}/declines"
        form={form}
        submitLabel={t("access-requests.decline")}
        labels="access-requests.fields"
        creates
      >
        <Textarea
          {...form.field("note")}
          label={t("access-requests.fields.note")}
          description={t("access-requests.fields.wordHelp")}
          maxLength={500}
          autosize
          minRows={3}
          data-autofocus
        />
      </EditForm>
    </Dialog>
  );
}
