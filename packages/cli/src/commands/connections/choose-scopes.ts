import type { Connection } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { CliError, type CliErrorText } from "../../messages/cli-error.js";

/** The options about scopes: those to ask for instead of the usual ones, and those to leave out. */
export interface ScopeChoice {
  scope: readonly string[];
  without: readonly string[];
}

/** The scopes to ask the third party for; undefined when nothing was said, and the server decides. @throws {CliError} `usage` */
export function chooseScopes(
  { connector, name, offeredScopes }: Connection,
  { scope, without }: ScopeChoice,
): readonly string[] | undefined {
  if (scope.length === 0 && without.length === 0) return undefined;
  const offered = offeredScopes.map((known) => known.scope);
  const unknown = [...scope, ...without].find((wanted) => !offered.includes(wanted));
  if (unknown !== undefined)
    throw refused({
      what: `"${unknown}" is not a scope that you can request from ${name}.`,
      why: `Available: ${offered.join(", ")}.`,
      hint: "See what they mean",
      next: { do: "show_connection", connection: connector },
    });
  const required = offeredScopes.filter((known) => known.required).map((known) => known.scope);
  const indispensable = without.find((wanted) => required.includes(wanted));
  if (indispensable !== undefined)
    throw refused({
      what: `"${indispensable}" cannot be left out.`,
      why: `${name} cannot be used here without it.`,
      hint: "Remove this --without, or do not connect.",
    });
  const torn = scope.find((wanted) => without.includes(wanted));
  if (torn !== undefined)
    throw refused({
      what: `"${torn}" is both requested and left out.`,
      hint: "Name it once: with --scope or with --without.",
    });
  const usual = offeredScopes.filter((known) => known.byDefault).map((known) => known.scope);
  const wanted = scope.length > 0 ? scope : usual;
  return [...new Set([...required, ...wanted])].filter((one) => !without.includes(one));
}

function refused(text: Omit<CliErrorText, "exitCode">): CliError {
  return new CliError("usage", { ...text, exitCode: exitCodes.usage });
}
