import { Button, Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useChange } from "../api/change";
import { type Impact, useForget } from "../api/queries";
import type { RequestOptions } from "../api/request";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";
import { Dialog } from "./dialog";
import { ImpactPreview } from "./impact-preview";
import { toast } from "./toasts";
import { Problem, useAction } from "./use-action";

export interface ConfirmProps {
  readonly title: string;
  /** What will be lost, in a sentence. */
  readonly children: ReactNode;
  /** Has to be typed. Leave it out for what can be made again with one click. */
  readonly name?: string;
  readonly confirmLabel: string;
  /** Nothing is lost: the button is an ordinary one. */
  readonly harmless?: boolean;
  readonly onClose: () => void;
}

interface ConfirmDestructiveProps extends ConfirmProps {
  /** The same request with `preview: true`; the dialog shows the answer. */
  readonly preview?: (() => Promise<{ readonly impact: Impact }>) | undefined;
  readonly onConfirm: () => Promise<unknown>;
}

/** Names what will be lost and asks for the name. Mount it while it is open. */
export function ConfirmDestructive(props: ConfirmDestructiveProps) {
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
    <Dialog title={title} onClose={onClose}>
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
    </Dialog>
  );
}

interface ConfirmChangeProps<Result> extends ConfirmProps {
  /** The request that makes the change. */
  readonly path: string;
  readonly options: RequestOptions;
  /** Whether the API tells the impact first. */
  readonly previews?: boolean;
  /** Paths that are read again, after the change and when the object has changed meanwhile. */
  readonly affects: readonly string[];
  /** The message afterwards, if any. */
  readonly done: (result: Result) => string | undefined;
  /** The opposite change at the same path, and the message after it. */
  readonly undo?: (result: Result) => { readonly options: RequestOptions; readonly done: string } | undefined;
  readonly onDone?: ((result: Result) => void) | undefined;
}

/** Confirms one request to the API, says that it is done, and offers to undo it where that is possible. */
export function ConfirmChange<Result>(props: ConfirmChangeProps<Result>) {
  const { path, options, previews = true, affects, done, undo, onDone, ...dialog } = props;
  const forget = useForget();
  const change = useChange(...affects);
  const confirm = async () => {
    const result = await change<Result>(path, options);
    const opposite = undo?.(result);
    const text = done(result);
    if (text !== undefined) {
      toast(
        text,
        opposite && {
          done: opposite.done,
          run: async () => {
            await change(path, opposite.options);
            await forget(...affects);
          },
        },
      );
    }
    onDone?.(result);
    await forget(...affects);
  };
  const preview = () => change<{ impact: Impact }>(path, { ...options, query: { preview: true } });
  return <ConfirmDestructive {...dialog} {...(previews && { preview })} onConfirm={confirm} />;
}
