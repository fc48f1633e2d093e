import { createElement, Fragment, type ReactNode } from "react";

/** An identifier, address or key: monospaced, breaks anywhere. */
export function Identifier({ children }: { readonly children: ReactNode }) {
  return (
    <code className="identifier" translate="no">
      {children}
    </code>
  );
}

/** A text with places where a line may break: after `@`, `:`, `/`, and before a dot. */
export function Breakable({ children }: { readonly children: string }) {
  if (!/[@:/.]/.test(children)) return children;
  const [first, ...others] = children.split(/(?<=[@:/])|(?=\.)/);
  return createElement(Fragment, null, first, ...others.flatMap((part) => [createElement("wbr"), part]));
}

/** A scope in its common form. */
export function Scope({
  children,
  state,
}: {
  readonly children: string;
  readonly state?: "gained" | "lost";
}) {
  return (
    <code className="scope" data-state={state} translate="no">
      <Breakable>{children}</Breakable>
    </code>
  );
}

/** Several scopes, with line breaks only between them. */
export function Scopes({
  keys,
  most = Number.POSITIVE_INFINITY,
}: {
  readonly keys: readonly string[];
  readonly most?: number;
}) {
  const more = keys.length - most;
  return (
    <span className="scopes">
      {keys.slice(0, most).map((key) => (
        <Scope key={key}>{key}</Scope>
      ))}
      {more > 0 && <span className="muted">+{more}</span>}
    </span>
  );
}

/** A state in a word, with a dot that does not depend on colour alone. */
export function Status(props: {
  readonly tone: "good" | "bad" | "warning" | "neutral";
  /** Long enough to break. */
  readonly wraps?: boolean;
  readonly children: ReactNode;
}) {
  const { tone, wraps = false, children } = props;
  return (
    <span className="status" data-tone={tone}>
      <span className="status-dot" aria-hidden="true" />
      {wraps ? <span className="wrapping">{children}</span> : children}
    </span>
  );
}
