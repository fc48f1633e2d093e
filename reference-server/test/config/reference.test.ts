import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.js";
import { connectorKeyVariables } from "../../src/config/connector-keys.js";
import { type VariableDocument, variables } from "../../src/config/variables.js";
import { testEnvironment } from "../support/environment.js";

const cell = (text: string) => text.replaceAll("|", "\\|");

function table(documents: readonly VariableDocument[]): string {
  const withoutIt = documents.some(({ usual }) => usual !== undefined);
  const rows = documents.map(({ name, meaning, expected, usual }) => {
    const cells = [`\`${name}\``, meaning, expected, ...(withoutIt ? [usual ?? ""] : [])];
    return `| ${cells.map(cell).join(" | ")} |`;
  });
  const heads = ["Variable", "What it is for", "Format", ...(withoutIt ? ["Without it"] : [])];
  return [`| ${heads.join(" | ")} |`, `|${"---|".repeat(heads.length)}`, ...rows].join("\n");
}

const all = Object.values<VariableDocument>(variables);

const page = `# Configuration

The server reads these variables once, at its start. Each can also be given as \`NAME_FILE\`, the path of a file with the value. Everything
that is missing or malformed is named at once, and values are never printed. This page is written from the server's own list:
\`npx vitest run reference-server/test/config/reference.test.ts --update\` writes it again.

## Required

\`authz-server secrets\` prints fresh values for everything that is secret. Keep them as long as the installation exists: with another
encryption key the server does not start, unless the one before is named as well. Neither does a server with another \`AUTH_SESSION_SECRET\`
or \`AUTHZ_ISSUER\` than the others on its database; it writes nothing. The signing key is replaced by a
[rotation](../operate/rotate-keys.md), not by other variables. Docker's \`--env-file\` keeps quotes: remove those around the two JWKs there.

${table(all.filter(({ usual }) => usual === undefined))}

## Optional

${table(all.filter(({ usual }) => usual !== undefined))}

## Keys of connectors

${table(connectorKeyVariables)}

## Traces

OpenTelemetry's own variables, with their usual meaning: \`OTEL_EXPORTER_OTLP_ENDPOINT\` or \`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT\` switches traces
on, over HTTP (\`OTEL_EXPORTER_OTLP_PROTOCOL\`, \`OTEL_EXPORTER_OTLP_TRACES_PROTOCOL\`: \`http/protobuf\` or \`http/json\`). \`OTEL_TRACES_EXPORTER\`
is \`otlp\` or \`none\`, \`OTEL_SDK_DISABLED\` switches all of it off, \`OTEL_TRACES_SAMPLER\` and \`OTEL_TRACES_SAMPLER_ARG\` sample. Headers, timeout,
service name and resource attributes are read as well.
`;

test("the reference lists every variable as the server reads it", async () => {
  await expect(page).toMatchFileSnapshot("../../../docs/reference/configuration.md");
});

test("no variable is read that the reference does not have", () => {
  const read = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(testEnvironment({}), {
    get: (target, name) => {
      read.add(String(name));
      return target[String(name)];
    },
  });
  loadConfig(environment);
  const names = [...read].filter((name) => !name.endsWith("_FILE"));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
