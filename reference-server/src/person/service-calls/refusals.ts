import { describeUnknownScopes } from "@authz/agent-tools";
import { UseRefusal } from "../../forwarding/use-refusal.js";
import type { Resource } from "../../store/resources.js";
import { pauseSeconds } from "../../permissions/groups/directories.js";

/** Why a service is not called, beside what holds wherever a request goes. */
export const serviceRefusals = {
  unknown: (host: string) =>
    new UseRefusal({
      code: "unknown_service",
      message: "No service is registered at this address. Ask an administrator to register it.",
      host,
    }),
  disabled: ({ name }: Resource, host: string) =>
    new UseRefusal({
      code: "service_disabled",
      message: `An administrator has disabled ${name}. Ask whether it will be back.`,
      host,
    }),
  stopped: ({ name }: Resource, host: string) =>
    new UseRefusal({
      code: "access_denied",
      reason: "stopped",
      message: `An administrator has stopped ${name}. Nothing is sent there until it is started again. Ask an administrator when that will be.`,
      host,
    }),
  declines: ({ name }: Resource, host: string) =>
    new UseRefusal({
      code: "service_declines",
      message: `${name} does not accept calls from agents through this server. Call it another way, or ask an administrator to allow that.`,
      host,
    }),
  accessEnded: () =>
    new UseRefusal({
      code: "access_ended",
      message: "This app may no longer act for you. Sign in again.",
    }),
  tooManyScopes: (most: number) =>
    new UseRefusal({
      code: "invalid_request",
      reason: "malformed_scope",
      message: `Name at most ${String(most)} scopes.`,
    }),
  unknownScopes: (resource: Resource, scopes: readonly string[]) =>
    new UseRefusal({
      code: "invalid_request",
      reason: "scope_not_supported",
      message: `${describeUnknownScopes(scopes, resource)} Separate with spaces.`,
    }),
  missingScopes: ({ name }: Resource, scopes: readonly string[]) =>
    new UseRefusal({
      code: "insufficient_scope",
      message: `${name} needs ${scopes.join(" ")}, which you do not have, or this app may not use.`,
      scope: scopes.join(" "),
    }),
  nothingHeld: ({ name, supportedScopes }: Resource) =>
    new UseRefusal({
      code: "insufficient_scope",
      message: `You have no permission at ${name} that this app may use. Ask an administrator for one.`,
      ...(supportedScopes.length > 0 && { scope: supportedScopes.join(" ") }),
    }),
  undecided: () =>
    new UseRefusal({
      code: "temporarily_unavailable",
      reason: "scope_directory_unavailable",
      message:
        "The directory that knows your groups is not answering, so your permissions cannot be checked. Try again in a moment.",
      retryAfterSeconds: pauseSeconds,
    }),
} as const;
