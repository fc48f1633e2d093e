import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { addFaults, check } from "../objects/check.js";
import { checkSecretOfProvider } from "../objects/identity-provider.js";
import { renderMessage } from "../text/message.js";
import { textsIn } from "../text/texts.js";
import { type Installation, InstallFileError } from "./installation.js";
import { installationFields, type InstallationRules } from "./check-details.js";

function createSchema(rules: InstallationRules) {
  const { provider, ...fields } = installationFields(rules);
  return z.strictObject({
    ...fields,
    provider: z
      .strictObject({ ...provider, clientSecretFile: z.string().min(1).max(4096).optional() })
      .superRefine(({ clientSecret, clientSecretFile, tokenEndpointAuthMethod }, context) => {
        const twice = clientSecret !== undefined && clientSecretFile !== undefined;
        if (twice) addFaults(context, [{ path: ["clientSecret"], code: "secretTwice" }]);
        else
          checkSecretOfProvider(
            { clientSecret: clientSecret ?? clientSecretFile, tokenEndpointAuthMethod },
            context,
          );
      }),
  });
}

/**
 * Reads an installation file, YAML or JSON, and the secret file that it names, relative to itself.
 *
 * @throws {InstallFileError} Every problem at once, each with its place.
 */
export async function readInstallFile(path: string, rules: InstallationRules): Promise<Installation> {
  const content = await readText(path, path);
  let document: unknown;
  try {
    document = parse(content, { maxAliasCount: 0 });
  } catch (error) {
    throw new InstallFileError([`${path} is neither YAML nor JSON: ${(error as Error).message}`]);
  }
  const checked = check(createSchema(rules), document ?? {});
  if (checked.faults !== undefined) {
    const english = textsIn("en");
    throw new InstallFileError(
      checked.faults.map(
        ({ path: place, message }) => `${place || "file"}: ${renderMessage(message, english)}`,
      ),
    );
  }
  const { installation, administrator, provider } = checked.value;
  const { clientSecretFile, clientSecret = null, key, ...known } = provider;
  return {
    installationName: installation.name,
    administratorEmail: administrator.email,
    provider: {
      ...known,
      key,
      clientSecret:
        clientSecretFile === undefined
          ? clientSecret
          : await readSecret(resolve(dirname(path), clientSecretFile)),
    },
  };
}

async function readSecret(path: string): Promise<string> {
  const secret = (await readText(path, "provider.clientSecretFile")).replace(/\r?\n$/, "");
  if (secret === "" || secret.length > 2000) {
    throw new InstallFileError([
      `provider.clientSecretFile: ${path} is empty or longer than 2000 characters`,
    ]);
  }
  return secret;
}

async function readText(path: string, place: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new InstallFileError([`${place}: ${path} cannot be read (${code})`]);
  }
}
