import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "../config.js";

/** Members that never reach the log, wherever a logged object carries them. */
const secretMembers = [
  "access_token",
  "assertion",
  "authorization",
  "client_assertion",
  "client_secret",
  "clientSecret",
  "code_verifier",
  "cookie",
  "dpop",
  "id_token",
  "password",
  "refresh_token",
  "set-cookie",
  "subject_token",
];

/** The server's log: JSON lines on standard output, secrets redacted. */
export function createLog(level: LogLevel, destination?: DestinationStream): Logger {
  const inside = secretMembers.flatMap((member) => [`["${member}"]`, `*["${member}"]`, `*.*["${member}"]`]);
  // A top-level `code` is an error code; an authorization code could only come with a body or a query.
  const paths = [...inside, "body.code", "query.code"];
  const options = { level, base: null, redact: { paths, censor: "[redacted]" } };
  return destination === undefined ? pino(options) : pino(options, destination);
}
