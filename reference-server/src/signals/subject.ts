import { isJsonObject } from "@authz/dpop/jws";
import { isAccountIdentifier } from "../sign-in/identity.js";
import { SignalError } from "./signal-error.js";

/** Whom an event is about, as far as this server can tell people apart (RFC 9493, SSF 1.0 §3). */
export type SignalSubject =
  | { readonly format: "iss_sub"; readonly issuer: string; readonly subject: string }
  /** In lower case. */
  | { readonly format: "email"; readonly email: string }
  | { readonly format: "opaque"; readonly id: string }
  /** A format that identifies no person here, such as a phone number. */
  | { readonly format: "other" };

/** The subject of an event: a person, one session of them, or both. */
export interface EventSubject {
  readonly user: SignalSubject | undefined;
  /** What the provider calls the session. */
  readonly session: string | undefined;
}

/** The members of a complex subject. Those other than `user` and `session` narrow it, so ignoring them ends more, never less. */
const complexMembers = ["user", "session", "device", "application", "tenant", "org_unit", "group"];

/**
 * Reads a subject identifier: simple, or complex with at most one of each member.
 *
 * @throws {SignalError} `subject`: it has not the form of its format.
 */
export function readSubject(value: unknown): EventSubject {
  if (!isJsonObject(value)) throw new SignalError("subject");
  if (value["format"] !== "complex") return { user: readSimple(value), session: undefined };
  const { format: _format, ...members } = value;
  const named = complexMembers.filter((name) => Object.hasOwn(members, name));
  if (named.length === 0) throw new SignalError("subject");
  const [user, session] = [members["user"], members["session"]].map((member) =>
    member === undefined ? undefined : readSimple(member),
  );
  return { user, session: session === undefined ? undefined : readSession(session) };
}

function readSession(session: SignalSubject): string {
  if (session.format !== "opaque") throw new SignalError("subject");
  return session.id;
}

function readSimple(value: unknown): SignalSubject {
  if (!isJsonObject(value)) throw new SignalError("subject");
  const { format } = value;
  if (typeof format !== "string") throw new SignalError("subject");
  switch (format) {
    case "iss_sub": {
      const { iss: issuer, sub: subject } = value;
      if (typeof issuer !== "string" || issuer.length > 2048) throw new SignalError("subject");
      if (!isAccountIdentifier(subject)) throw new SignalError("subject");
      return { format, issuer, subject };
    }
    case "email": {
      const { email } = value;
      if (!isAccountIdentifier(email)) throw new SignalError("subject");
      return { format, email: email.toLowerCase() };
    }
    case "opaque": {
      const { id } = value;
      if (!isAccountIdentifier(id)) throw new SignalError("subject");
      return { format, id };
    }
    default:
      return { format: "other" };
  }
}
