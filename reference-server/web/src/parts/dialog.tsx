import { useEffect, useState } from "react";
import type { DialogProps } from "./dialog-window";
import { focusHolder, giveFocus, hasNobodyFocus } from "./focus";
import { later } from "./later";

/** No screen needs it before somebody asks for something. */
export const loadDialogWindow = () => import("./dialog-window");
const DialogWindow = later(loadDialogWindow);

/** A dialog over the screen. Mount it while it is open; Escape, the cross and a click beside it close it. */
export function Dialog(props: DialogProps) {
  useFocusReturn();
  return <DialogWindow {...props} />;
}

/**
 * Gives the focus back to what opened the dialog. The library's own way waits for a dialog that is closed before it is
 * taken away. Where the opener is gone, as a row that was removed, keys go on at the content of the screen.
 */
function useFocusReturn(): void {
  // Read while the dialog is drawn for the first time: afterwards it has the focus itself.
  const [opener] = useState(focusHolder);
  useEffect(
    () => () => {
      // Whatever took the focus meanwhile keeps it, and nothing had it before when nobody has it now.
      if (!hasNobodyFocus() || opener === document.body) return;
      giveFocus(opener);
      if (opener instanceof HTMLElement) outlive(opener);
    },
    [opener],
  );
}

/** What has the focus again may go with the next answer, as a button that has nothing left to do: then keys go on at the content as well. */
function outlive(focused: HTMLElement): void {
  const until = new AbortController();
  const observer = new MutationObserver(() => {
    if (focused.isConnected) return;
    until.abort();
    if (hasNobodyFocus()) giveFocus(focused);
  });
  until.signal.addEventListener("abort", () => observer.disconnect());
  for (const event of ["focusin", "pointerdown"])
    document.addEventListener(event, () => until.abort(), { signal: until.signal });
  observer.observe(document.body, { childList: true, subtree: true });
}
