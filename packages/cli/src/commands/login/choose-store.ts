import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AuthzClientError, writePrivateFile } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";
import type { StoreKind } from "../../profile/config.js";
import { type OpenProfile, sessionPath } from "../../profile/open-client.js";
import { keyringProblem } from "../../profile/system-keyring.js";
import type { CommandContext } from "../command.js";

/** Decides where the session goes before the sign-in, so that none is lost for want of a place. */
export async function chooseStore({ runtime }: CommandContext, opened: OpenProfile): Promise<StoreKind> {
  const asked = runtime.env.AUTHZ_TOKEN_STORE ?? "";
  if (asked !== "" && asked !== "file" && asked !== "keyring") {
    throw new CliError("usage", {
      what: `AUTHZ_TOKEN_STORE is "${asked}".`,
      why: 'It can be "keyring" or "file".',
      hint: "Correct it, or unset it.",
      exitCode: exitCodes.usage,
    });
  }
  if (asked === "file" || (asked === "" && opened.profile?.store === "file")) return "file";
  const problem = await keyringProblem();
  if (problem === undefined) return "keyring";
  throw new CliError("keyring_unavailable", {
    what: "This computer has no keyring that authz can use, so the session has no safe place yet.",
    why: `Nobody has signed in. The keyring says: ${problem}`,
    hint: `Unlock or install a keyring, or keep the session in a file that only you can read (${sessionPath(opened)}, mode 0600)`,
    next: { do: "sign_in", inFile: true },
    exitCode: exitCodes.failure,
  });
}

/**
 * Tries the folders that a sign-in writes to: a home that is read-only, or that is not there, is found out before the person has done
 * anything.
 *
 * @throws {CliError} `not_saved`
 */
export async function requireWritable({ paths }: OpenProfile): Promise<void> {
  for (const folder of [paths.config, paths.state]) {
    const probe = join(folder, `probe-${String(process.pid)}`);
    try {
      await writePrivateFile(probe, "");
      await rm(probe, { force: true });
    } catch (cause) {
      throw new CliError("not_saved", {
        what: `Nothing can be written to ${folder}, so the session has no place yet. Nobody has signed in.`,
        ...(cause instanceof AuthzClientError && cause.why !== undefined && { why: cause.why }),
        hint: "Make it writable for you, or name other folders with XDG_CONFIG_HOME and XDG_STATE_HOME.",
        exitCode: exitCodes.failure,
        cause,
      });
    }
  }
}

/** Says what a file means for the session. */
export function warnAboutFile({ output }: CommandContext, opened: OpenProfile): void {
  output.note(`${output.warning("The session is kept in a file, not in a keyring:")} ${sessionPath(opened)}`);
  output.note("Only you can read it (mode 0600). Any program that runs as you can use it.");
}
