import { useEffect, useState } from "react";
import type { DialogProps } from "./dialog-window";
import { focusHolder, giveFocus, isFocusLost } from "./focus";
import { later } from "./later";

/** No screen needs it before a click. */
const DialogWindow = later(() => import("./dialog-window"));

/** A dialog over the screen. Mount it while it is open; Escape, the cross and a click beside it close it. */
export function Dialog(props: DialogProps) {
  useFocusReturn();
  return <DialogWindow {...props} />;
}

/**
 * Returns the focus to the element that opened the dialog. The library's own focus return needs a dialog that closes
 * before it is removed. If the opener is gone, such as a removed row, the content of the screen gets the focus.
 */
export function useFocusReturn(): void {
  // Read during the first render: afterwards the dialog has the focus itself.
  const [opener] = useState(focusHolder);
  useEffect(
    () => () => {
      // An element that took the focus meanwhile keeps it.
      if (!isFocusLost() || opener === document.body) return;
      giveFocus(opener);
      if (opener instanceof HTMLElement) moveFocusWhenRemoved(opener);
    },
    [opener],
  );
}

/** Moves the focus to the content of the screen if the focused element is removed, as a button with nothing left to do. */
function moveFocusWhenRemoved(focused: HTMLElement): void {
  const until = new AbortController();
  const observer = new MutationObserver(() => {
    if (focused.isConnected) return;
    until.abort();
    if (isFocusLost()) giveFocus(focused);
  });
  until.signal.addEventListener("abort", () => observer.disconnect());
  for (const event of ["focusin", "pointerdown"])
    document.addEventListener(event, () => until.abort(), { signal: until.signal });
  observer.observe(document.body, { childList: true, subtree: true });
}
