import type { CliErrorCode } from "../../../packages/cli/src/messages/cli-error.js";

/** What the codes mean that only the command knows, and what to do. What it prints is more precise. */
export const cliCodes: Readonly<Record<CliErrorCode, { readonly cause: string; readonly cure: string }>> = {
  usage: {
    cause: "The command was not typed correctly.",
    cure: "Read what it prints, or `authz COMMAND --help`.",
  },
  issuer_missing: {
    cause: "Nobody said which authorization server to use.",
    cure: "`authz login --issuer https://authz.example.com`",
  },
  not_signed_in: { cause: "There is no session in this profile.", cure: "`authz login`" },
  other_issuer: {
    cause: "The profile belongs to another authorization server.",
    cure: "Use another `--profile`, or `authz logout` first.",
  },
  keyring_unavailable: {
    cause: "This computer has no keyring that can be used.",
    cure: "Keep the session in a file, as the hint says.",
  },
  config_invalid: {
    cause: "The configuration file cannot be read.",
    cure: "Correct the line that is named, or remove the file.",
  },
  service_refused: {
    cause: "The service or the third party answered with a status from 400 to 499.",
    cure: "Read its answer on stdout.",
  },
  service_failed: {
    cause:
      "The service or the third party answered with a status from 500, or with something that cannot be used.",
    cure: "Try again later, and tell the people who run it.",
  },
  not_saved: {
    cause: "The output could not be written.",
    cure: "Check the folder, its permissions, and the disk.",
  },
  internal: {
    cause: "The command has a defect.",
    cure: "Set `AUTHZ_DEBUG=1`, run it again, and report what it prints.",
  },
};
