import { readFileSync } from "node:fs";

/** What every plugin says about itself, in the one place where it is said. */
export interface Description {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly version: string;
  readonly author: string;
  readonly homepage: string;
  readonly repository: string;
  readonly license: string;
  readonly keywords: readonly string[];
}

const manifest = new URL("../../../packages/cli/package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };

const project = "https://github.com/authz/authz";

/** The plugin that starts `authz mcp`. Its version is that of the command. */
export const local: Description = {
  name: "authz",
  displayName: "Authz",
  description:
    "Call the company's services with the user's own permissions, without ever seeing a credential.",
  version,
  author: "Authz",
  homepage: `${project}/blob/main/docs/hosts/README.md`,
  repository: project,
  license: "Apache-2.0",
  keywords: ["authorization", "oauth", "mcp", "permissions", "skills"],
};

/** The plugin that calls the company's own server, whose address the person is asked for. */
export const remote: Description = {
  ...local,
  name: "authz-remote",
  displayName: "Authz, at your company's address",
  description: `${local.description} Asks for the address of the company's authorization server; nothing to install.`,
};

/** How the address is asked for. */
export const issuerQuestion = {
  title: "Address of your authorization server",
  description:
    "For example https://authz.example.com, without a trailing slash. Your company has its own: the site where you see your permissions.",
} as const;

/** As the variable is called where a host has variables of the environment. */
export const issuerVariable = "AUTHZ_ISSUER";
