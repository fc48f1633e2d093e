import { Button, Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import type { Impact } from "../api/queries";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";
import DialogWindow from "./dialog-window";
import { ImpactPreview } from "./impact-preview";
import { Problem, useAction } from "./use-action";

export interface ConfirmProps {
  readonly title: string;
  /** The loss, in a sentence. */
  readonly children: ReactNode;
  /** The name to type. Left out for changes that one click can revert. */
  readonly name?: string;
  readonly confirmLabel: string;
  /** Nothing is lost: the button is an ordinary one. */
  readonly harmless?: boolean;
  readonly onClose: () => void;
}

export interface ConfirmDestructiveProps extends ConfirmProps {
  /** The same request with `preview: true`; the dialog shows the answer. */
  readonly preview?: (() => Promise<{ readonly impact: Impact }>) | undefined;
  readonly onConfirm: () => Promise<unknown>;
}

/** The window that asks before a change. */
export default function ConfirmWindow(props: ConfirmDestructiveProps) {
  const { title, children, name, confirmLabel, harmless = false, preview, onConfirm, onClose } = props;
  const t = useText();
  const describe = useDescribeError();
  const [typed, setTyped] = useState("");
  const { run, working, problem } = useAction();
  const impact = useQuery({
    queryKey: ["impact", title],
    queryFn: async () => (await preview?.())?.impact ?? null,
    enabled: preview !== undefined,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const ready = (name === undefined || typed.trim() === name) && !impact.isLoading && impact.error === null;

  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    await run(async () => {
      await onConfirm();
      onClose();
    });
  };

  return (
    <DialogWindow title={title} onClose={onClose}>
      <form onSubmit={(event) => void confirm(event)} className="stack">
        <div>{children}</div>
        {preview !== undefined && impact.error === null && (
          <div className="impact-box" aria-live="polite">
            {impact.data ? (
              <ImpactPreview impact={impact.data} />
            ) : (
              <p className="muted">{t("parts.impact.loading")}</p>
            )}
          </div>
        )}
        {name !== undefined && (
          <TextInput
            label={t("parts.destroy.typeName", { name })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            classNames={{ input: "mono" }}
          />
        )}
        <Problem>{impact.error === null ? problem : describe(impact.error)}</Problem>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} {...(name === undefined && { "data-autofocus": true })}>
            {t("parts.cancel")}
          </Button>
          <Button
            type="submit"
            {...(!harmless && { color: "red", variant: "outline", className: "destroy" })}
            disabled={!ready}
            loading={working}
          >
            {confirmLabel}
          </Button>
        </Group>
      </form>
    </DialogWindow>
  );
}
