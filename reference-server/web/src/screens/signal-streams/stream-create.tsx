import type { SignalStream } from "@admin/signal-streams";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo, useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { NewStreamFields } from "./stream-fields";
import { emptyStream, type StreamValues, toNewStream } from "./stream-values";

/** A new stream; the address may name the sign-in provider: `/signal-streams/new?provider=acme`. */
export default function StreamCreate() {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const [search] = useSearch();
  const form = useEdit<StreamValues, SignalStream>({
    initial: { ...emptyStream, provider: search.get("provider") ?? "" },
    send: (values) => request("/signal-streams", { method: "POST", body: toNewStream(values) }),
    onSaved: async () => {
      await forget("/signal-streams", "/overview");
      go(screenPath("signal-streams", form.values.key), { replace: true });
    },
  });
  return (
    <Page
      title={t("signal-streams.createTitle")}
      parent={{ to: "/signal-streams", title: t("signal-streams.title") }}
      narrow
    >
      <EditForm
        route="POST /signal-streams"
        form={form}
        submitLabel={t("signal-streams.createSubmit")}
        cancelTo="/signal-streams"
        labels="signal-streams.fields"
        secrets={["token"]}
        creates
      >
        <NewStreamFields form={form} />
      </EditForm>
    </Page>
  );
}
