import { Argument, Command } from "commander";

/** What may have another value than before: nothing in the database is sealed with it. */
const replaceableVariables = ["AUTHZ_ISSUER", "AUTH_SESSION_SECRET"] as const;

export type ReplaceableVariable = (typeof replaceableVariables)[number];

/** `authz-server accept`: what every server must have from now on. */
export function createAcceptCommand(
  replace: (variable: ReplaceableVariable) => Promise<void>,
  print: (text: string) => void,
): Command {
  return new Command("accept")
    .description("let servers start with another AUTHZ_ISSUER or AUTH_SESSION_SECRET than before")
    .addArgument(new Argument("<variable>", "the one that was replaced").choices(replaceableVariables))
    .action(async (variable: ReplaceableVariable) => {
      await replace(variable);
      print(`${variable} is accepted. Servers with another value no longer start.\n`);
    });
}
