import type { SavedView } from "@admin/views";
import { ActionIcon, Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useForget } from "../api/queries";
import { apiPath, request } from "../api/request";
import { useText } from "../text/text";
import { Dialog } from "./dialog";
import { Icon } from "./icon";
import { RecordRows } from "./record-rows";
import { toast } from "./toasts";
import { Problem, useAction } from "./use-action";

/** Saves the current view of a list, and removes saved ones. */
export default function ManageViews(props: {
  readonly list: string;
  readonly views: readonly SavedView[];
  /** Search, filters and order of the current view. */
  readonly query: string;
  readonly onClose: () => void;
}) {
  const { views, query, onClose } = props;
  const t = useText();
  return (
    <Dialog title={t("views.mine")} onClose={onClose}>
      <div className="stack">
        {query === "" ? <p className="muted">{t("views.nothing")}</p> : <SaveView {...props} />}
        {views.length === 0 ? <p className="muted">{t("views.none")}</p> : <ViewRows views={views} />}
      </div>
    </Dialog>
  );
}

function SaveView(props: {
  readonly list: string;
  readonly views: readonly SavedView[];
  readonly query: string;
  readonly onClose: () => void;
}) {
  const { list, views, query, onClose } = props;
  const t = useText();
  const forget = useForget();
  const { run, fieldProblem, reset } = useAction();
  const [name, setName] = useState("");
  const [isMissing, setMissing] = useState(false);
  const wanted = name.trim();

  const save = (event: FormEvent) => {
    event.preventDefault();
    setMissing(wanted === "");
    if (wanted === "") return;
    void run(async () => {
      await request("/views", { method: "PUT", body: { list, name: wanted, query } });
      await forget("/views");
      toast(t("views.saved", { name: wanted }));
      onClose();
    });
  };

  return (
    <>
      <form className="inline-form" onSubmit={save}>
        <TextInput
          label={t("views.name")}
          description={t("views.saveLead")}
          value={name}
          maxLength={80}
          error={isMissing ? t("views.nameMissing") : fieldProblem}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setMissing(false);
            reset();
          }}
          autoComplete="off"
          data-autofocus
        />
        <Button type="submit">{t("views.save")}</Button>
      </form>
      {views.some((view) => view.name === wanted) && <p role="status">{t("views.replaces")}</p>}
    </>
  );
}

function ViewRows({ views }: { readonly views: readonly SavedView[] }) {
  const t = useText();
  const forget = useForget();
  const { run, problem } = useAction();
  const remove = (view: SavedView) =>
    run(async () => {
      try {
        await request(apiPath("views", view.id), { method: "DELETE" });
        toast(t("views.removed", { name: view.name }));
      } finally {
        await forget("/views");
      }
    });
  return (
    <>
      <Problem>{problem}</Problem>
      <RecordRows
        rows={views.map((view) => ({
          id: view.id,
          title: view.name,
          action: (
            <ActionIcon aria-label={t("views.remove", { name: view.name })} onClick={() => void remove(view)}>
              <Icon name="close" size={14} />
            </ActionIcon>
          ),
        }))}
      />
    </>
  );
}
