import { type FocusEvent, useLayoutEffect, useRef, useState } from "react";
import { createStore, useStore } from "../store";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";
import { giveFocus } from "./focus";
import { Icon } from "./icon";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo?: Undo | undefined;
}

/** The opposite change through the same API, which refuses when the object has changed since. */
export interface Undo {
  readonly run: () => Promise<unknown>;
  /** The message after it. */
  readonly done: string;
}

/** Time to read a message; a message with Undo stays long enough to notice and to reach it. */
const shownMilliseconds = 5_000;
const undoableMilliseconds = 15_000;

const toasts = createStore<readonly Toast[]>([]);
let nextId = 1;
const timers = new Map<number, ReturnType<typeof setTimeout>>();

/**
 * Shows for some seconds that something is done: `toast(t("parts.saved"))`. Problems are shown where they happened instead.
 *
 * @param undo - only for changes that leave nothing behind when undone
 */
export function toast(text: string, undo?: Undo): void {
  const id = nextId++;
  for (const { id: gone } of toasts.get().slice(0, -2)) stop(gone);
  toasts.set([...toasts.get().slice(-2), { id, text, undo }]);
  start(id);
}

/** The region of the messages, read out by screen readers. */
export function Toasts() {
  const shown = useStore(toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((one) => (
        <Shown key={one.id} toast={one} />
      ))}
    </div>
  );
}

/** Does not disappear while the pointer or the focus is on it. */
function Shown({ toast: { id, text, undo } }: { readonly toast: Toast }) {
  const t = useText();
  const describe = useDescribeError();
  const [problem, setProblem] = useState<string>();
  const [working, setWorking] = useState(false);
  const revert = async ({ run, done }: Undo) => {
    setWorking(true);
    stop(id);
    try {
      await run();
      dismiss(id);
      toast(done);
    } catch (error) {
      setProblem(describe(error));
      setWorking(false);
      start(id);
    }
  };
  const element = useRef<HTMLDivElement>(null);
  const before = useRef<Element | null>(null);
  const enter = ({ relatedTarget }: FocusEvent) => {
    stop(id);
    if (element.current?.contains(relatedTarget) === false) before.current = relatedTarget;
  };
  // Before the element is removed: afterwards nothing has the focus.
  useLayoutEffect(() => {
    const own = element.current;
    return () => {
      if (own?.contains(document.activeElement) === true) giveFocus(before.current);
    };
  }, []);
  const leave = () => {
    // The result of the undo is still to come.
    if (!working) start(id);
  };
  return (
    <div
      ref={element}
      className="toast"
      onPointerEnter={() => stop(id)}
      onPointerLeave={leave}
      onFocus={enter}
      onBlur={leave}
    >
      <span>{problem === undefined ? text : t("parts.undoRefused", { problem })}</span>
      {undo !== undefined && problem === undefined && (
        <button
          type="button"
          className="toast-undo"
          aria-disabled={working}
          onClick={() => {
            if (!working) void revert(undo);
          }}
        >
          {t("parts.undo")}
        </button>
      )}
      {undo !== undefined && (
        <button
          type="button"
          className="toast-close"
          aria-label={t("parts.close")}
          onClick={() => dismiss(id)}
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </div>
  );
}

function start(id: number): void {
  stop(id);
  const undoable = toasts.get().some((one) => one.id === id && one.undo !== undefined);
  timers.set(
    id,
    setTimeout(() => dismiss(id), undoable ? undoableMilliseconds : shownMilliseconds),
  );
}

function stop(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

function dismiss(id: number): void {
  stop(id);
  toasts.set(toasts.get().filter((one) => one.id !== id));
}
