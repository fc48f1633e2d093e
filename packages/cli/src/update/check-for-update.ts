import { nodeTransport, proxyConnections } from "@authz/client";
import { nodeRuntime, type Runtime } from "../runtime.js";
import { isVersion, loadUpdateRecord, saveUpdateRecord } from "./update-record.js";

const defaultRegistry = "https://registry.npmjs.org";
const maxBytes = 64 * 1024;

/** Asks the npm registry for the newest version and remembers it. A failure is not worth a word. */
export async function checkForUpdate(runtime: Runtime = nodeRuntime()): Promise<void> {
  const latest = await latestVersion(runtime).catch(() => undefined);
  if (latest === undefined) return;
  await saveUpdateRecord(runtime, { ...(await loadUpdateRecord(runtime)), latest });
}

async function latestVersion({ env }: Runtime): Promise<string | undefined> {
  const transport = nodeTransport(proxyConnections(env));
  const answer = await transport({
    method: "GET",
    url: `${registry(env)}/-/package/@authz%2fcli/dist-tags`,
    headers: { accept: "application/json" },
    timeoutSeconds: 10,
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  if (answer.status !== 200) return undefined;
  const tags = JSON.parse(Buffer.concat(chunks).toString()) as { latest?: unknown } | null;
  return isVersion(tags?.latest) ? tags.latest : undefined;
}

/** The registry that npm itself uses, when it runs this program. */
function registry(env: Runtime["env"]): string {
  const named = env.npm_config_registry ?? "";
  const isUsable = /^https:\/\/|^http:\/\/127\.0\.0\.1[:/]/.test(named) && URL.canParse(named);
  return (isUsable ? named : defaultRegistry).replace(/\/+$/, "");
}
