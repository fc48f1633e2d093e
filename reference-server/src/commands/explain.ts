import { Command } from "commander";
import type { ServerContext } from "../context.js";
import { explain } from "../permissions/explain.js";
import { formatExplanation } from "./explanation-text.js";

interface ExplainOptions {
  readonly email: string;
  readonly resource?: string;
  readonly scope: readonly string[];
  readonly json?: true;
}

/** Creates `authz-server explain`: why somebody may or may not do something, now. */
export function createExplainCommand(
  withInstallation: (work: (context: ServerContext) => Promise<void>) => Promise<void>,
  print: (text: string) => void,
): Command {
  return new Command("explain")
    .description("say which assignment grants a scope to a person, or what is missing")
    .requiredOption("--email <address>", "the person")
    .option("--resource <key>", "the resource; this server itself when absent")
    .requiredOption("--scope <scope...>", "what the person wants")
    .option("--json", "print JSON")
    .action(({ email, resource, scope: scopes, json }: ExplainOptions) =>
      withInstallation(async ({ store, directories }) => {
        const explanation = await explain({ email, resource, scopes }, { store, directories });
        print(json ? `${JSON.stringify(explanation, null, 2)}\n` : formatExplanation(explanation));
      }),
    );
}
