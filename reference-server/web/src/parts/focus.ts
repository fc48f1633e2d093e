import { type RefObject, useEffect, useRef } from "react";

/** The focused element, or the one that had the focus until it was disabled. */
let holder: HTMLElement | undefined;

/**
 * Keeps the focus on a button while it is busy: browsers remove the focus from disabled elements and do not restore it.
 */
export function keepFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    holder = target instanceof HTMLElement ? target : undefined;
  });
  document.addEventListener("focusout", () => {
    if (holder?.matches(":disabled") === false) holder = undefined;
  });
  document.addEventListener("pointerdown", () => {
    if (isFocusLost()) holder = undefined;
  });
  new MutationObserver(() => {
    if (holder?.isConnected === true && isFocusLost() && !holder.matches(":disabled")) giveFocus(holder);
  }).observe(document.body, { subtree: true, attributeFilter: ["disabled"] });
}

/** The focused element, or the busy button that had the focus. */
export function focusHolder(): Element | null {
  return isFocusLost() ? (holder ?? document.activeElement) : document.activeElement;
}

export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Focuses an element, once it is no longer busy, or else the content of the screen. */
export function giveFocus(element: Element | null): void {
  if (element instanceof HTMLElement && element.isConnected) {
    holder = element;
    if (element.matches(":disabled[data-loading]")) return;
    element.focus({ preventScroll: true });
  }
  if (isFocusLost()) document.getElementById("content")?.focus();
}

/** The screen whose heading was focused last; at first the one that the browser has loaded. */
let focusedPath = location.pathname;

/**
 * Focuses the heading after a navigation, as a browser focuses a new page: keys and screen readers continue there. A
 * field that takes the focus itself keeps it, and so does an open dialog.
 */
export function useHeadingFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const { pathname } = location;
    if (focusedPath === pathname) return;
    focusedPath = pathname;
    if (document.querySelector("main :focus, [role=dialog] :focus") !== null) return;
    heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}
