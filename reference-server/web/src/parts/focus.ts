import { type RefObject, useEffect, useRef } from "react";

/** What has the focus, or had it until it was disabled. */
let holder: HTMLElement | undefined;

/**
 * Keeps the focus on a button that works: browsers take it from whatever is disabled, and do not give it back when that is
 * over.
 */
export function keepFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    holder = target instanceof HTMLElement ? target : undefined;
  });
  document.addEventListener("focusout", () => {
    if (holder?.matches(":disabled") === false) holder = undefined;
  });
  document.addEventListener("pointerdown", () => {
    if (hasNobodyFocus()) holder = undefined;
  });
  new MutationObserver(() => {
    if (holder?.isConnected === true && hasNobodyFocus() && !holder.matches(":disabled")) giveFocus(holder);
  }).observe(document.body, { subtree: true, attributeFilter: ["disabled"] });
}

/** What has the focus; while a button works, that button. */
export function focusHolder(): Element | null {
  return hasNobodyFocus() ? (holder ?? document.activeElement) : document.activeElement;
}

export function hasNobodyFocus(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Gives the focus to an element, as soon as it has done its work; to the content of the screen where that cannot have it. */
export function giveFocus(element: Element | null): void {
  if (element instanceof HTMLElement && element.isConnected) {
    holder = element;
    if (element.matches(":disabled[data-loading]")) return;
    element.focus({ preventScroll: true });
  }
  if (hasNobodyFocus()) document.getElementById("content")?.focus();
}

/** The screen whose heading was focused last; at first the one that the browser has loaded. */
let arrivedAt = location.pathname;

/**
 * Focuses the heading after a navigation, as a browser focuses a new page: keys and screen readers continue there. A
 * field that takes the focus itself keeps it, and so does an open dialog.
 */
export function useArrival(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const { pathname } = location;
    if (arrivedAt === pathname) return;
    arrivedAt = pathname;
    if (document.querySelector("main :focus, [role=dialog] :focus") !== null) return;
    heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}
