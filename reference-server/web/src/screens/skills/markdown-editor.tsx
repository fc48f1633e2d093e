import { Input, SegmentedControl, Textarea } from "@mantine/core";
import { useId, useState } from "react";
import { useText } from "../../text/text";
import { Preview } from "./preview";
import "./skills.css";

/** Markdown beside its preview; on narrow windows one of the two. */
export function MarkdownEditor(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}) {
  const { value, onChange, error } = props;
  const t = useText();
  const [view, setView] = useState("write");
  const id = useId();
  return (
    <div className="markdown-editor" data-view={view}>
      <div className="markdown-editor-head">
        <div>
          <Input.Label htmlFor={id}>{t("skills.fields.content")}</Input.Label>
          <Input.Description id={`${id}-help`}>{t("skills.fields.contentHelp")}</Input.Description>
        </div>
        <SegmentedControl
          className="markdown-editor-switch"
          aria-label={t("skills.view")}
          value={view}
          onChange={setView}
          data={[
            { value: "write", label: t("skills.write") },
            { value: "preview", label: t("skills.preview") },
          ]}
        />
      </div>
      <div className="markdown-editor-panes">
        <Textarea
          id={id}
          name="content"
          aria-describedby={`${id}-help`}
          className="markdown-editor-text"
          classNames={{ input: "mono" }}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={error}
          rows={24}
          spellCheck
        />
        <section className="markdown-editor-preview" aria-label={t("skills.preview")} tabIndex={0}>
          <h2 className="visually-hidden">{t("skills.preview")}</h2>
          {value.trim() === "" ? (
            <p className="muted">{t("skills.previewEmpty")}</p>
          ) : (
            <Preview>{value}</Preview>
          )}
        </section>
      </div>
    </div>
  );
}
