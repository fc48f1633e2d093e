import { useParams, useRouter, useRouterState } from "@tanstack/react-router";
import type { ComponentPropsWithRef, MouseEvent, ReactNode } from "react";

const base = "/admin";

/** The address of a screen; the first one has no slash at the end. */
function toHref(to: string): string {
  return base + (to === "/" || to.startsWith("/?") ? to.slice(1) : to);
}

/** A path below /admin with its parts encoded: `screenPath("scopes", "contracts:read")`. */
export function screenPath(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

/** A path with a query; empty values are left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === "string" ? [value] : (value ?? [])) {
      if (one !== "") search.append(name, one);
    }
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

/** A link to a screen. An ordinary link for the browser: new tabs and the context menu work. */
export function Link({
  to,
  children,
  onClick,
  ...rest
}: { readonly to: string; readonly children?: ReactNode } & Omit<ComponentPropsWithRef<"a">, "href">) {
  const go = useGo();
  return (
    <a
      {...rest}
      href={toHref(to)}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !isPlainClick(event)) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

/** Goes to a screen. */
export function useGo(): (to: string, options?: { readonly replace?: boolean }) => void {
  const { history } = useRouter();
  return (to, options) => {
    if (options?.replace) history.replace(toHref(to));
    else history.push(toHref(to));
  };
}

/** A parameter of the screen's path. */
export function useParam(name: string): string {
  const params: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  return params[name] ?? "";
}

/** The path of the screen below /admin, without its query. */
export function useScreenPath(): string {
  const path = useRouterState({ select: (state) => state.location.pathname });
  return path.startsWith(base) ? path.slice(base.length) || "/" : path;
}

/** What the address says after `?`, and a function that changes some of it without a new entry in the history. */
export function useSearch(): [
  URLSearchParams,
  (changes: Readonly<Record<string, string | readonly string[] | undefined>>) => void,
] {
  const text = useRouterState({ select: (state) => state.location.searchStr });
  const path = useScreenPath();
  const go = useGo();
  const search = new URLSearchParams(text);
  return [
    search,
    (changes) => {
      const next: Record<string, readonly string[]> = {};
      for (const name of new Set(search.keys())) next[name] = search.getAll(name);
      go(withQuery(path, { ...next, ...changes }), { replace: true });
    },
  ];
}

function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
