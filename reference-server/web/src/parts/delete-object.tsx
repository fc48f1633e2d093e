import type { ReactNode } from "react";
import { useChange } from "../api/change";
import { type Impact, useForget } from "../api/queries";
import { apiPath } from "../api/request";
import { useGo } from "../address/links";
import { useText } from "../text/text";
import { ConfirmDestructive } from "./confirm-destructive";
import { toast } from "./toasts";

/**
 * Deletes what a screen shows: says what is lost, asks for its key, and goes back to the list. When somebody has changed
 * it meanwhile, the next attempt is about what is there now.
 */
export function DeleteObject({
  list,
  object: { key, name, version },
  texts,
  affects = [],
  onClose,
  children,
}: {
  /** Of the API and of the console, without slashes: "identity-providers". */
  readonly list: string;
  readonly object: { readonly key: string; readonly name: string; readonly version: number };
  /** The catalogue that says `deleteTitle`, `deleteSubmit` and `deleted`. */
  readonly texts:
    | "app-hosts"
    | "clients"
    | "connectors"
    | "groups"
    | "providers"
    | "resources"
    | "scopes"
    | "skills";
  /** What else has to be read again, below the list's own path. */
  readonly affects?: readonly string[];
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const change = useChange(`/${list}`);
  const path = apiPath(list, key);
  const preview = () =>
    change<{ impact: Impact }>(path, { method: "DELETE", version, query: { preview: true } });
  return (
    <ConfirmDestructive
      title={t(`${texts}.deleteTitle`, { name })}
      name={key}
      confirmLabel={t(`${texts}.deleteSubmit`)}
      preview={preview}
      onConfirm={async () => {
        await change(path, { method: "DELETE", version });
        toast(t(`${texts}.deleted`, { name }));
        go(`/${list}`, { replace: true });
        await forget(`/${list}`, ...affects);
      }}
      onClose={onClose}
    >
      {children}
    </ConfirmDestructive>
  );
}
