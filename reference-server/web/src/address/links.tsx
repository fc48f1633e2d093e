import { type ComponentPropsWithRef, createContext, type MouseEvent, type ReactNode, use } from "react";
import { goTo, preload, toHref, usePlace } from "./place";

/** The values in the path of the screen: `{ key: "contracts:read" }` on `/scopes/$key`. */
export const ParametersOfScreen = createContext<Readonly<Record<string, string>>>({});

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

/**
 * A link to a screen. It is an ordinary link, so new tabs and the context menu work. The screen loads as soon as the
 * pointer or the focus is on it.
 */
export function Link({
  to,
  children,
  onClick,
  onPointerEnter,
  onFocus,
  ...rest
}: { readonly to: string; readonly children?: ReactNode } & Omit<ComponentPropsWithRef<"a">, "href">) {
  return (
    <a
      {...rest}
      href={toHref(to)}
      onPointerEnter={(event) => {
        onPointerEnter?.(event);
        preload(to);
      }}
      onFocus={(event) => {
        onFocus?.(event);
        preload(to);
      }}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !isPlainClick(event)) return;
        event.preventDefault();
        goTo(to);
      }}
    >
      {children}
    </a>
  );
}

/** Goes to a screen. */
export function useGo(): (to: string, options?: { readonly replace?: boolean }) => void {
  return goTo;
}

/** A parameter of the screen's path. */
export function useParam(name: string): string {
  return use(ParametersOfScreen)[name] ?? "";
}

/** The path of the screen below /admin, without its query. */
export function useScreenPath(): string {
  return usePlace().path;
}

/** The query of the address, and a function that changes parts of it without a new entry in the history. */
export function useSearch(): [
  URLSearchParams,
  (changes: Readonly<Record<string, string | readonly string[] | undefined>>) => void,
] {
  const { path, search: text } = usePlace();
  const search = new URLSearchParams(text);
  return [
    search,
    (changes) => {
      const next: Record<string, readonly string[]> = {};
      for (const name of new Set(search.keys())) next[name] = search.getAll(name);
      goTo(withQuery(path, { ...next, ...changes }), { replace: true });
    },
  ];
}

/** Filters in the address that have one value each. */
export function filtersIn<Name extends string>(search: URLSearchParams, ...names: readonly Name[]) {
  const entries = names.map((name) => [name, search.get(name) ?? undefined] as const);
  return Object.fromEntries(entries) as Readonly<Record<Name, string | undefined>>;
}

function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
