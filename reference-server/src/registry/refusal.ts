import type { FieldFault } from "../objects/check.js";
import { type Message, type MessageValues, renderMessage } from "../text/message.js";
import type { CodeBelow } from "../text/message-key.js";
import { textsIn } from "../text/texts.js";

/** Why something is not saved. */
export type RegistryCode =
  | "invalid_request"
  | "not_found"
  | "already_exists"
  | "in_use"
  | "last_provider"
  | "test_required"
  | "connector_key_unavailable"
  | "version_conflict";

interface RefusalDetails {
  readonly fields?: readonly FieldFault[];
  /** The object as it is now, of a lost race. */
  readonly current?: unknown;
}

/**
 * The registry does not save or remove something. It is put into words at the edge: in the language of whoever calls the
 * API, in English for logs and `authz-server apply`.
 */
export class Refusal<Code extends string = RegistryCode> extends Error {
  override readonly name: string = "Refusal";
  readonly code: Code;
  readonly sentence: Message;
  readonly fields: readonly FieldFault[] | undefined;
  readonly current: unknown;

  constructor(code: Code, sentence: Message, { fields, current }: RefusalDetails = {}) {
    super(renderMessage(sentence, textsIn("en")));
    this.code = code;
    this.sentence = sentence;
    this.fields = fields;
    this.current = current;
  }
}

/** Several members are wrong; the sentence names the first one. */
export function invalid(...fields: readonly [FieldFault, ...FieldFault[]]): Refusal {
  const [{ path, message }] = fields;
  const values = { place: path === "" ? "none" : path, fault: message, more: fields.length - 1 };
  return new Refusal("invalid_request", { key: "administration.refusals.request", values }, { fields });
}

/** @throws {Refusal} One of the members is wrong. */
export function requireNone(faults: readonly FieldFault[]): void {
  const [first, ...others] = faults;
  if (first !== undefined) throw invalid(first, ...others);
}

export function notFound(
  what: CodeBelow<"administration.refusals.notFound">,
  values?: MessageValues,
): Refusal {
  return new Refusal("not_found", messageOf(`administration.refusals.notFound.${what}`, values));
}

export function taken(
  what: CodeBelow<"administration.refusals.taken">,
  values: MessageValues,
  field?: string,
): Refusal {
  const message = messageOf(`administration.refusals.taken.${what}`, values);
  const details = field === undefined ? {} : { fields: [{ path: field, message }] };
  return new Refusal("already_exists", message, details);
}

export function full(what: CodeBelow<"administration.refusals.full">, most: number): Refusal {
  // A skill too many has been a conflict from the beginning.
  return new Refusal(
    what === "skills" ? "in_use" : "invalid_request",
    messageOf(`administration.refusals.full.${what}`, { most }),
  );
}

/** Why something cannot be changed or removed, or not at this moment. */
type Why =
  | "systemScope"
  | "builtInClient"
  | "builtInResource"
  | "scopeInUse"
  | "clientInUse"
  | "connectorInUse"
  | "connectorDisconnecting"
  | "groupsInUse"
  | "groupsOwn"
  | "groupsTaken"
  | "signalStreamsOfProvider"
  | "disconnecting"
  | "catalogBusy"
  | `signingKey.${CodeBelow<"administration.refusals.signingKey">}`;

export function inUse(why: Why, values?: MessageValues): Refusal {
  return new Refusal("in_use", messageOf(`administration.refusals.${why}`, values));
}

function messageOf(key: Message["key"], values: MessageValues | undefined): Message {
  return { key, ...(values !== undefined && { values }) };
}

/**
 * Lets a change pass only when it was made from what is stored now.
 *
 * @param current - the stored object in the form in which the API shows it
 * @param seen - `undefined`: the change does not depend on the former state
 * @throws {Refusal} `version_conflict`: it was changed meanwhile; the answer carries it as it is now.
 */
export function requireVersion(current: { readonly version: number }, seen: number | undefined): void {
  if (seen === undefined || current.version === seen) return;
  throw new Refusal("version_conflict", { key: "administration.refusals.outdated" }, { current });
}
