import { Button, Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import type { Impact } from "../api/queries";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";
import { Dialog } from "./dialog";
import { ImpactPreview } from "./impact-preview";

export interface ConfirmDestructiveProps {
  readonly title: string;
  /** What will be lost, in a sentence. */
  readonly children: ReactNode;
  /** Has to be typed. Leave it out for what can be made again with one click. */
  readonly name?: string;
  readonly confirmLabel: string;
  /** Nothing is lost by it: the button is an ordinary one. */
  readonly harmless?: boolean;
  /** The same request with `preview: true`; what it answers is shown. */
  readonly preview?: () => Promise<{ readonly impact: Impact }>;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Names what will be lost and asks for the name. Mount it while it is open. */
export function ConfirmDestructive(props: ConfirmDestructiveProps) {
  const { title, children, name, confirmLabel, harmless = false, preview, onConfirm, onClose } = props;
  const t = useText();
  const describe = useDescribeError();
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const [working, setWorking] = useState(false);
  const impact = useQuery({
    queryKey: ["impact", title],
    queryFn: async () => (await preview?.())?.impact ?? null,
    enabled: preview !== undefined,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const refused = impact.error === null ? problem : describe(impact.error);
  const ready = (name === undefined || typed.trim() === name) && !impact.isLoading && impact.error === null;

  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    setWorking(true);
    setProblem(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(describe(error));
    } finally {
      setWorking(false);
    }
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
        {refused !== undefined && (
          <p className="problem" role="alert">
            {refused}
          </p>
        )}
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
