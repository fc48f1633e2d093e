import { Command } from "commander";
import type { CommandContext } from "./commands/command.js";
import { formatHelp } from "./help.js";
import { createOutput } from "./output/output.js";
import type { Surroundings } from "./surroundings.js";

/** The command line as it is understood. Each action loads its own module, so a command pays for nothing else. */
export function createProgram(
  surroundings: Surroundings,
  json: boolean,
): { run(args: readonly string[]): Promise<number> } {
  let exitCode = 0;
  const examples = new Map<Command, readonly string[]>();
  const program = new Command("authz");

  /** Wraps the work of a command: `work` is given the context and what commander parsed. */
  function action<Arguments extends unknown[]>(
    work: (context: CommandContext, ...args: Arguments) => Promise<number>,
  ): (...args: Arguments) => Promise<void> {
    return async (...args) => {
      const { profile } = program.opts<{ profile?: string }>();
      exitCode = await work({ surroundings, output: createOutput(surroundings, json), profile }, ...args);
    };
  }

  function command(spec: string, description: string, shown: readonly string[]): Command {
    const created = program.command(spec).description(description);
    examples.set(created, shown);
    return created;
  }

  program
    .description(
      "Calls your company's services with your permissions. Nothing it prints ever contains a credential.",
    )
    .option("--json", "answer with JSON on stdout, failures as JSON on stderr")
    .option("--profile <name>", "use another profile than the default one")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      writeErr: () => undefined,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({
      showGlobalOptions: true,
      formatHelp: (shown, help) => formatHelp(shown, help, examples.get(shown) ?? []),
    });
  examples.set(program, [
    "authz login --issuer https://authz.example.com",
    "authz skills",
    "authz skills show contracts.list",
    "authz request --scope contracts:read https://contracts.example.com/api/contracts",
  ]);

  command("login", "Sign in through the browser.", [
    "authz login --issuer https://authz.example.com",
    "authz login --no-browser        prints the address instead of opening it",
    "AUTHZ_TOKEN_STORE=file authz login   keeps the session in a file, for computers without a keyring",
  ])
    .option("--issuer <url>", "address of the authorization server; needed once")
    .option("--no-browser", "print the address, and wait for it to be visited on this computer")
    .action(
      action(async (context, options: { issuer?: string; browser: boolean }) => {
        const { login } = await import("./commands/login.js");
        return await login(context, options);
      }),
    );

  command("logout", "Sign out: ends the session on the server and forgets it here.", ["authz logout"]).action(
    action(async (context) => {
      const { logout } = await import("./commands/logout.js");
      return await logout(context);
    }),
  );

  command("whoami", "Show who is signed in.", ["authz whoami", "authz whoami --json"]).action(
    action(async (context) => {
      const { whoami } = await import("./commands/whoami.js");
      return await whoami(context);
    }),
  );

  const skills = command("skills", "List and read the instructions that services publish.", [
    "authz skills",
    "authz skills show contracts.list",
  ]);
  const listSkills = action(
    async (context) => await (await import("./commands/skills.js")).listSkills(context),
  );
  skills.action(async () => await listSkills());
  skills
    .command("list")
    .description("List the skills you can see.")
    .action(async () => await listSkills());
  skills
    .command("show <id>")
    .description("Print one skill's instructions.")
    .action(
      action(async (context, id: string) => {
        const { showSkill } = await import("./commands/skills.js");
        return await showSkill(context, id);
      }),
    );

  command("request <url>", "Call a registered service with your permissions.", [
    "authz request --scope contracts:read https://contracts.example.com/api/contracts",
    `authz request -X POST --scope contracts:write -d '{"customer":"Acme"}' https://…/api/contracts`,
  ])
    .option("-X, --method <method>", "GET unless given, POST with -d")
    .option("-s, --scope <scope>", "permission the request needs; repeat for more", collect, [])
    .option("-H, --header <header>", 'a header like "Accept: text/csv"; repeat for more', collect, [])
    .option("-d, --data <data>", "body: text, @file, or @- for standard input")
    .action(
      action(
        async (
          context,
          url: string,
          options: { method?: string; scope: string[]; header: string[]; data?: string },
        ) => {
          const { request } = await import("./commands/request.js");
          return await request(context, url, options);
        },
      ),
    );

  return {
    run: async (args) => {
      await program.parseAsync([...args], { from: "user" });
      return exitCode;
    },
  };
}

function collect(value: string, list: readonly string[]): readonly string[] {
  return [...list, value];
}
