import { Option } from "commander";
import type { LoginCommandOptions } from "../commands/login/login.js";
import type { CommandTree } from "./command-tree.js";

/** `login`, `logout`, `status`, `whoami`. */
export function addSessionCommands({ add, action }: CommandTree): void {
  add("login", "Sign in with a browser, here or on another device.", [
    "authz login --issuer https://authz.example.com",
    "authz login --device                 shows a code to type on another device",
    "authz login --no-browser             prints the address instead of opening it",
    "AUTHZ_TOKEN_STORE=file authz login   without a keyring: a file",
  ])
    .option("--issuer <url>", "address of the authorization server; needed once")
    .addOption(
      new Option("--device", "sign in on another device; by itself over SSH and without a display").conflicts(
        "browser",
      ),
    )
    .option("--browser", "open the browser, also over SSH or without a display")
    .option("--no-browser", "print the address, and wait for it to be visited on this computer")
    .action(
      action(async (context, options: LoginCommandOptions) => {
        const { login } = await import("../commands/login/login.js");
        return await login(context, options);
      }),
    );

  add("logout", "Sign out, here and on the server.", ["authz logout"]).action(
    action(async (context) => await (await import("../commands/logout.js")).logout(context)),
  );

  add("status", "Show the session as this computer knows it. Asks no server.", ["authz status"]).action(
    action(async (context) => await (await import("../commands/status.js")).status(context)),
  );

  add("whoami", "Show who is signed in, as the server sees it.", [
    "authz whoami",
    "authz whoami --json",
  ]).action(action(async (context) => await (await import("../commands/whoami.js")).whoami(context)));
}
