import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PackedPackage, packPackages, publishedFolders, root, run } from "./pack.js";

/** An npm registry on this computer. */
export interface LocalRegistry {
  /** For `registry=` in an `.npmrc`. */
  readonly url: string;
  close(): Promise<void>;
}

interface Published {
  readonly packument: string;
  readonly tarball: Buffer;
}

/**
 * Starts a registry that has these packages as they would be published, so that npm and npx can be typed as documents print them. It sends
 * npm on to the registry that is configured here for all others, which are thus needed from there.
 */
async function startRegistry(packages: readonly PackedPackage[]): Promise<LocalRegistry> {
  const upstream = (await run("npm", ["config", "get", "registry"], root)).trim();
  const published = new Map<string, Published>();
  const server = createServer((request, response) => answer(published, { upstream, request, response }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const { name, tarball } of packages) published.set(name, await publish(url, tarball));
  return {
    url,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The same with everything of ours that is published, the server with its console included. */
export async function publishEverything(): Promise<LocalRegistry> {
  const packed = await mkdtemp(join(tmpdir(), "authz-published-"));
  await run(process.execPath, [join(root, "reference-server/web/build.mjs")], root);
  const registry = await startRegistry(await packPackages(packed, await publishedFolders()));
  await rm(packed, { recursive: true });
  return registry;
}

/** Why packages of others cannot be had here; undefined when they can. */
export async function registryProblem(): Promise<string | undefined> {
  try {
    await run("npm", ["ping", "--loglevel=error"], root);
    return undefined;
  } catch (error) {
    return `There is no npm registry. ${String(error)}`;
  }
}

async function publish(url: string, path: string): Promise<Published> {
  const manifest = await run("tar", ["-xzOf", path, "package/package.json"], root);
  const { name, version, ...rest } = JSON.parse(manifest) as { name: string; version: string };
  const tarball = await readFile(path);
  const dist = {
    tarball: `${url}${name}/-/${version}.tgz`,
    integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
  };
  const versions = { [version]: { name, version, ...rest, dist } };
  return { packument: JSON.stringify({ name, "dist-tags": { latest: version }, versions }), tarball };
}

function answer(
  published: ReadonlyMap<string, Published>,
  to: { readonly upstream: string; readonly request: IncomingMessage; readonly response: ServerResponse },
): void {
  const path = to.request.url?.slice(1) ?? "";
  const [name = "", file] = decodeURIComponent(path).split("/-/");
  const found = published.get(name);
  if (found === undefined) to.response.writeHead(307, { location: new URL(path, to.upstream).href }).end();
  else if (file === undefined)
    to.response.writeHead(200, { "content-type": "application/json" }).end(found.packument);
  else to.response.writeHead(200, { "content-type": "application/octet-stream" }).end(found.tarball);
}
