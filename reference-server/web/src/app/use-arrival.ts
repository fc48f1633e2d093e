import { type RefObject, useEffect, useRef } from "react";

/** The screen whose heading had its turn; at first the one that the browser has opened itself. */
let arrivedAt = location.pathname;

/**
 * Gives the focus to the heading of a screen that somebody has gone to, as a browser does with a page: keys and screen
 * readers go on there. A field that takes the focus itself keeps it, and so does an open dialog.
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
