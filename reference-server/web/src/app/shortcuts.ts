import { useEffect, useRef } from "react";
import { useAreas } from "./use-areas";
import { createLetterSequence } from "./letter-sequence";
import { useGo } from "../address/links";

/** Whether the command key replaces Ctrl. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/**
 * The keys of the whole console: Ctrl-K or ⌘K, `?`, `/`, `n`, `z`, and `g` followed by an area's letter.
 *
 * Single letters do nothing in a field or while a dialog is open.
 */
export function useShortcuts(open: {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
  /** Receives letters typed while a dialog opens and has no focus yet. */
  readonly onEarlyLetter: ((letter: string) => void) | undefined;
}): void {
  const go = useGo();
  const areas = useAreas();
  const latest = useRef({ go, areas, ...open });
  latest.current = { go, areas, ...open };

  useEffect(() => {
    const follows = createLetterSequence("g");
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        latest.current.openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const { onEarlyLetter } = latest.current;
      if (onEarlyLetter !== undefined) {
        if (event.key.length !== 1) return;
        event.preventDefault();
        onEarlyLetter(event.key);
        return;
      }
      const area = follows(event)
        ? latest.current.areas.find(({ shortcut }) => shortcut === event.key)
        : undefined;
      if (area !== undefined) latest.current.go(area.path);
      else if (event.key === "?") latest.current.openHelp();
      else if (event.key === "/") focus("[data-list-search]");
      else if (event.key === "z") focus(".toast:last-child .toast-undo", "click");
      else if (event.key === "n") focus("[data-main-action]", "click");
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

function focus(selector: string, action: "focus" | "click" = "focus"): void {
  document.querySelector<HTMLElement>(selector)?.[action]();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest("input, textarea, select, [role=dialog], [role=menu]") !== null) &&
    !(target instanceof HTMLInputElement && target.type === "checkbox")
  );
}
