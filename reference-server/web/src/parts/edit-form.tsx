import { Button, Group } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { useGo } from "../address/links";
import type { Impact } from "../api/queries";
import { type Route, useMay } from "../api/session";
import { useText } from "../text/text";
import type { ConflictOptions } from "./conflict-dialog";
import { Dialog } from "./dialog";
import { ImpactPreview } from "./impact-preview";
import { later } from "./later";
import type { Edit } from "./use-edit";

const ConflictDialog = later(() => import("./conflict-dialog"));

export interface EditFormProps<Values extends object> extends ConflictOptions {
  /** Where it is sent: people who may not use it only read the form. */
  readonly route: Route;
  readonly form: Edit<Values>;
  readonly submitLabel: string;
  /** Where Cancel leads. */
  readonly cancelTo?: string;
  /** The form creates an object, so it can be saved unchanged. */
  readonly creates?: boolean;
  /** A second button that saves with further changes. */
  readonly also?: { readonly label: string; readonly changes: Partial<Values> };
  readonly children: ReactNode;
}

/** One column of fields with Save and Cancel, the impact before saving, and the conflict when there is one. */
export function EditForm<Values extends object>(props: EditFormProps<Values>) {
  const { route, form, submitLabel, cancelTo, creates = false, also, children } = props;
  const { labels, secrets = [], describeValue } = props;
  const t = useText();
  const go = useGo();
  const may = useMay();
  const element = useFocusOnProblem(form.problem);
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

  if (!may(route)) return <ReadOnly>{children}</ReadOnly>;
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
      {form.beside !== undefined && <ImpactBeside impact={form.beside.impact} />}
      <Group className="edit-buttons" gap="sm">
        {/* Not disabled when nothing is left to save: the button would lose the focus after saving. */}
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
        <ConfirmImpact impact={form.impact} onConfirm={() => void form.confirm()} onClose={form.dismiss} />
      )}
      {form.conflict !== undefined && (
        <ConflictDialog
          labels={labels}
          secrets={secrets}
          describeValue={describeValue}
          stored={form.conflict.stored}
          mine={form.conflict.mine}
          onTakeTheirs={form.takeTheirs}
          onKeepMine={() => void form.keepMine()}
          onClose={form.dismiss}
        />
      )}
    </form>
  );
}

/** The fields for somebody who may not change them, and why. */
function ReadOnly({ children }: { readonly children: ReactNode }) {
  const t = useText();
  return (
    <fieldset className="edit-form" disabled>
      <p className="muted">{t("parts.readOnly")}</p>
      <div className="edit-fields">{children}</div>
    </fieldset>
  );
}

/** Focuses the first wrong field when saving was refused, or else the problem. */
function useFocusOnProblem(problem: string | undefined) {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem === undefined) return;
    const wrong = element.current?.querySelector<HTMLElement>(
      "[aria-invalid=true], [data-invalid=true] input",
    );
    (wrong ?? element.current?.querySelector<HTMLElement>(".problem"))?.focus();
  }, [problem]);
  return element;
}

function ImpactBeside({ impact }: { readonly impact: Impact | undefined }) {
  const t = useText();
  return (
    <section className="impact-box impact-beside" aria-label={t("parts.impact.title")} aria-live="polite">
      {impact === undefined ? (
        <p className="muted">{t("parts.impact.later")}</p>
      ) : (
        <ImpactPreview impact={impact} />
      )}
    </section>
  );
}

function ConfirmImpact(props: {
  readonly impact: Impact;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const { impact, onConfirm, onClose } = props;
  const t = useText();
  return (
    <Dialog title={t("parts.impact.title")} onClose={onClose}>
      <ImpactPreview impact={impact} />
      <Group mt="lg" justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          {t("parts.impact.back")}
        </Button>
        <Button onClick={onConfirm} data-autofocus>
          {t("parts.impact.confirm")}
        </Button>
      </Group>
    </Dialog>
  );
}
