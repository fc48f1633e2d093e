import { useSyncExternalStore } from "react";

interface Toast {
  readonly id: number;
  readonly text: string;
}

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

/** Says for some seconds that something is done: `toast(t.saved)`. Problems stand where they happened instead. */
export function toast(text: string): void {
  const id = nextId++;
  update([...toasts.slice(-2), { id, text }]);
  setTimeout(() => update(toasts.filter((one) => one.id !== id)), 5000);
}

/** The place where they appear; read out by screen readers. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <div key={id} className="toast">
          {text}
        </div>
      ))}
    </div>
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function update(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}
