import { useChange } from "../api/change";
import { type Impact, useForget } from "../api/queries";
import type { RequestOptions } from "../api/request";
import type { ConfirmDestructiveProps, ConfirmProps } from "./confirm-window";
import { useFocusReturn } from "./dialog";
import { later } from "./later";
import { toast } from "./toasts";

/** No screen needs it before a click; it brings the window of all dialogs along. */
export const loadConfirmWindow = () => import("./confirm-window");
const ConfirmWindow = later(loadConfirmWindow);

export type { ConfirmProps };

/** Names what will be lost and asks for the name. Mount it while it is open. */
export function ConfirmDestructive(props: ConfirmDestructiveProps) {
  useFocusReturn();
  return <ConfirmWindow {...props} />;
}

interface ConfirmChangeProps<Result> extends ConfirmProps {
  /** The request that makes the change. */
  readonly path: string;
  readonly options: RequestOptions;
  /** Whether the API can preview the impact. */
  readonly previews?: boolean;
  /** Paths that are read again, after the change and when the object has changed meanwhile. */
  readonly affects: readonly string[];
  /** The message afterwards, if any. */
  readonly done: (result: Result) => string | undefined;
  /** The opposite change at the same path, and the message after it. */
  readonly undo?: (result: Result) => { readonly options: RequestOptions; readonly done: string } | undefined;
  readonly onDone?: ((result: Result) => void) | undefined;
}

/** Confirms and sends one request to the API, and offers to undo it where that is possible. */
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
