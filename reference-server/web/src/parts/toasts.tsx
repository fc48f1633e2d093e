import { type FocusEvent, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";
import { giveFocus } from "./focus";
import { Icon } from "./icon";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo?: Undo | undefined;
}

/** The opposite of what was done, through the same API, which refuses when somebody has changed it since. */
export interface Undo {
  readonly run: () => Promise<unknown>;
  /** What is said when it is done. */
  readonly done: string;
}

/** For reading. What can be undone stays as long as it takes to notice and to reach it. */
const shownMilliseconds = 5_000;
const undoableMilliseconds = 15_000;

let toasts: readonly Toast[] = [];
let nextId = 1;
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

/**
 * Says for some seconds that something is done: `toast(t.saved)`. Problems stand where they happened instead.
 *
 * @param undo - only for what leaves nothing behind when it is undone
 */
export function toast(text: string, undo?: Undo): void {
  const id = nextId++;
  const kept = toasts.slice(-2);
  for (const { id: gone } of toasts) if (!kept.some((one) => one.id === gone)) stop(gone);
  update([...kept, { id, text, undo }]);
  start(id);
}

/** The place where they appear; read out by screen readers. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((one) => (
        <Shown key={one.id} toast={one} />
      ))}
    </div>
  );
}

/** Waits while the pointer or the focus is on it. */
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
  // Before it is taken away: afterwards nothing has the focus.
  useLayoutEffect(() => {
    const own = element.current;
    return () => {
      if (own?.contains(document.activeElement) === true) giveFocus(before.current);
    };
  }, []);
  const leave = () => {
    // What comes of it is still to be read.
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
  const undoable = toasts.some((one) => one.id === id && one.undo !== undefined);
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
  update(toasts.filter((one) => one.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function update(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}
