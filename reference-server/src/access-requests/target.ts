import { type AccessTarget, installationTarget } from "../store/access-requests.js";
import type { Connector } from "../store/connectors.js";
import type { Resource } from "../store/resources.js";
import { agentsScope, loginScope } from "../store/system-scopes.js";

/** What a person wants to use: a service, a connector, or apps and agent hosts at this installation itself. */
export type WantedTarget =
  | { readonly resource: Resource | undefined }
  | { readonly connector: Connector | undefined }
  | { readonly installation: true };

/** What can be asked for, and where. */
export interface FoundTarget {
  readonly target: AccessTarget;
  /** All that can be asked for there. */
  readonly offered: readonly string[];
  readonly resource?: Resource;
}

/** `undefined`: nothing is there, or it is switched off. */
export function findTarget(wanted: WantedTarget): FoundTarget | undefined {
  if ("installation" in wanted) return { target: installationTarget, offered: [loginScope, agentsScope] };
  if ("resource" in wanted) {
    const { resource } = wanted;
    if (resource?.enabled !== true) return undefined;
    // What agents use is at this installation itself.
    if (resource.builtIn) return { target: installationTarget, offered: resource.supportedScopes };
    const target = { kind: "service", target: resource.key } as const;
    return { target, offered: resource.supportedScopes, resource };
  }
  const { connector } = wanted;
  if (connector?.enabled !== true) return undefined;
  return { target: { kind: "connector", target: connector.key }, offered: connector.requiredScopes };
}
