import type { ReactNode } from "react";
import { useGo } from "../address/links";
import { apiPath } from "../api/request";
import { useText } from "../text/text";
import { ConfirmChange } from "./confirm-destructive";

/** Deletes the object of a screen: names the loss, asks for the object's key, and goes back to the list. */
export function DeleteObject({
  list,
  object: { key, name, version },
  texts,
  affects = [],
  previews = true,
  onClose,
  children,
}: {
  /** Of the API and of the console, without slashes: "identity-providers". */
  readonly list: string;
  readonly object: { readonly key: string; readonly name: string; readonly version: number };
  /** The catalogue with `deleteTitle`, `deleteSubmit` and `deleted`. */
  readonly texts:
    | "app-hosts"
    | "clients"
    | "connectors"
    | "groups"
    | "providers"
    | "resources"
    | "scopes"
    | "signal-streams"
    | "skills";
  /** Paths that are read again, besides the list's own. */
  readonly affects?: readonly string[];
  /** Whether the API can preview the impact. */
  readonly previews?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const t = useText();
  const go = useGo();
  return (
    <ConfirmChange
      title={t(`${texts}.deleteTitle`, { name })}
      name={key}
      confirmLabel={t(`${texts}.deleteSubmit`)}
      path={apiPath(list, key)}
      options={{ method: "DELETE", version }}
      affects={[`/${list}`, ...affects]}
      previews={previews}
      done={() => t(`${texts}.deleted`, { name })}
      onDone={() => go(`/${list}`, { replace: true })}
      onClose={onClose}
    >
      {children}
    </ConfirmChange>
  );
}
