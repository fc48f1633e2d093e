import { Button, Group } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { useGo } from "../address/links";
import { useText } from "../text/text";
import { ConflictDialog, type DescribeValue } from "./conflict-dialog";
import { Dialog } from "./dialog";
import { ImpactPreview } from "./impact-preview";
import type { Edit } from "./use-edit";

export interface EditFormProps<Values extends object> {
  readonly form: Edit<Values>;
  readonly submitLabel: string;
  /** Where Cancel leads. */
  readonly cancelTo?: string;
  /** Where the catalogue has the fields' labels, for the comparison after a conflict: `connectors.fields`. */
  readonly labels: string;
  /** Fields that a conflict must not show. */
  readonly secrets?: readonly (keyof Values & string)[];
  /** How a conflict shows what is no text and no list of texts. */
  readonly describeValue?: DescribeValue<Values>;
  /** Saving makes sense even when nothing was changed: something is created. */
  readonly creates?: boolean;
  /** A second button that saves, with these changes. */
  readonly also?: { readonly label: string; readonly changes: Partial<Values> };
  readonly children: ReactNode;
}

/** One column of fields with Save and Cancel, the impact before saving, and the conflict when there is one. */
export function EditForm<Values extends object>(props: EditFormProps<Values>) {
  const {
    form,
    submitLabel,
    cancelTo,
    labels,
    secrets = [],
    describeValue,
    creates = false,
    also,
    children,
  } = props;
  const t = useText();
  const go = useGo();
  const element = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (form.problem === undefined) return;
    const wrong = element.current?.querySelector<HTMLElement>(
      "[aria-invalid=true], [data-invalid=true] input",
    );
    (wrong ?? element.current?.querySelector<HTMLElement>(".problem"))?.focus();
  }, [form.problem]);

  const idle = !form.dirty && !creates;
  const submit = () => {
    if (!idle) void form.submit();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
    }
  };

  return (
    <form
      ref={element}
      className="edit-form"
      noValidate
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="edit-fields">{children}</div>
      {form.problem !== undefined && (
        <p className="problem" role="alert" tabIndex={-1}>
          {form.problem}
        </p>
      )}
      {form.beside !== undefined && (
        <section className="impact-box impact-beside" aria-label={t("parts.impact.title")} aria-live="polite">
          {form.beside.impact === undefined ? (
            <p className="muted">{t("parts.impact.later")}</p>
          ) : (
            <ImpactPreview impact={form.beside.impact} />
          )}
        </section>
      )}
      <Group className="edit-buttons" gap="sm">
        {/* Not disabled when nothing is left to save: whoever has just saved with it would lose the focus. */}
        <Button type="submit" loading={form.saving} aria-disabled={idle} data-disabled={idle}>
          {submitLabel}
        </Button>
        {also !== undefined && (
          <Button variant="default" disabled={form.saving} onClick={() => void form.submit(also.changes)}>
            {also.label}
          </Button>
        )}
        {cancelTo !== undefined && (
          <Button variant="default" onClick={() => go(cancelTo)}>
            {t("parts.cancel")}
          </Button>
        )}
      </Group>
      {form.impact !== undefined && (
        <Dialog title={t("parts.impact.title")} onClose={form.dismiss}>
          <ImpactPreview impact={form.impact} />
          <Group mt="lg" justify="flex-end" gap="sm">
            <Button variant="default" onClick={form.dismiss}>
              {t("parts.impact.back")}
            </Button>
            <Button onClick={() => void form.confirm()} data-autofocus>
              {t("parts.impact.confirm")}
            </Button>
          </Group>
        </Dialog>
      )}
      <ConflictDialog
        form={form}
        labels={labels}
        secrets={secrets}
        {...(describeValue !== undefined && { describeValue })}
      />
    </form>
  );
}
