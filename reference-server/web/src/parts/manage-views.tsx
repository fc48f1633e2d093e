import type { SavedView } from "@admin/views";
import { ActionIcon, Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError } from "../api/api-error";
import { useForget } from "../api/queries";
import { apiPath, request } from "../api/request";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";
import { Dialog } from "./dialog";
import { fieldSentence } from "./field-sentence";
import { Icon } from "./icon";
import { RecordRows } from "./record-rows";
import { toast } from "./toasts";

/** Saves what the list shows now, and removes what is not wanted any more. */
export default function ManageViews(props: {
  readonly list: string;
  readonly views: readonly SavedView[];
  /** What the list shows now. */
  readonly query: string;
  readonly onClose: () => void;
}) {
  const { list, views, query, onClose } = props;
  const t = useText();
  const forget = useForget();
  const describe = useDescribeError();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const wanted = name.trim();

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (wanted === "") {
      setProblem(t("views.nameMissing"));
      return;
    }
    try {
      await request("/views", { method: "PUT", body: { list, name: wanted, query } });
      await forget("/views");
      toast(t("views.saved", { name: wanted }));
      onClose();
    } catch (error) {
      const field = error instanceof ApiError ? error.fields[0] : undefined;
      setProblem(field === undefined ? describe(error) : fieldSentence(field.message));
    }
  };
  const remove = async (view: SavedView) => {
    try {
      await request(apiPath("views", view.id), { method: "DELETE" });
      toast(t("views.removed", { name: view.name }));
    } catch (error) {
      setProblem(describe(error));
    }
    await forget("/views");
  };

  return (
    <Dialog title={t("views.mine")} onClose={onClose}>
      <div className="stack">
        {query === "" ? (
          <p className="muted">{t("views.nothing")}</p>
        ) : (
          <form className="inline-form" onSubmit={(event) => void save(event)}>
            <TextInput
              label={t("views.name")}
              description={t("views.saveLead")}
              value={name}
              maxLength={80}
              error={problem}
              onChange={(event) => {
                setName(event.currentTarget.value);
                setProblem(undefined);
              }}
              autoComplete="off"
              data-autofocus
            />
            <Button type="submit">{t("views.save")}</Button>
          </form>
        )}
        {views.some((view) => view.name === wanted) && <p role="status">{t("views.replaces")}</p>}
        {query === "" && problem !== undefined && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        {views.length === 0 ? (
          <p className="muted">{t("views.none")}</p>
        ) : (
          <RecordRows
            rows={views.map((view) => ({
              id: view.id,
              title: view.name,
              action: (
                <ActionIcon
                  aria-label={t("views.remove", { name: view.name })}
                  onClick={() => void remove(view)}
                >
                  <Icon name="close" size={14} />
                </ActionIcon>
              ),
            }))}
          />
        )}
      </div>
    </Dialog>
  );
}
