import type { RequestOptions } from "node:http";
import { isIP, type Socket } from "node:net";
import { AuthzClientError } from "../errors.js";
import { type ConnectionFor, httpFor } from "./node-transport.js";
import { noTunnelCode } from "./read-json.js";

const connectSeconds = 15;

/**
 * Sends https requests through the proxy that `HTTPS_PROXY` names, except to the hosts in `NO_PROXY`.
 *
 * The proxy sees only the host name: the connection is encrypted all the way to the service. Plain http goes only to this
 * computer and needs no proxy.
 */
export function proxyConnections(env: Readonly<Record<string, string | undefined>>): ConnectionFor {
  const address = env.HTTPS_PROXY ?? env.https_proxy ?? "";
  const exceptions = (env.NO_PROXY ?? env.no_proxy ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  if (address === "") return () => ({});
  const proxy = parseProxy(address);
  return async (url) => {
    if (url.protocol !== "https:" || exceptions.some((entry) => covers(entry, url))) return {};
    return await tunnel(proxy, url);
  };
}

function parseProxy(address: string): URL {
  const text = address.includes("://") ? address : `http://${address}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy !== undefined && (proxy.protocol === "http:" || proxy.protocol === "https:")) return proxy;
  throw new AuthzClientError("proxy_invalid", {
    what: "The address of the proxy cannot be used.",
    why: "HTTPS_PROXY must be an http or https address.",
  });
}

/** An exception is `*`, a host with everything below it, or a host with a port. */
function covers(entry: string, url: URL): boolean {
  if (entry === "*") return true;
  const [, host = "", port] = /^\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  if (port !== undefined && port !== (url.port === "" ? "443" : url.port)) return false;
  return url.hostname === host || url.hostname.endsWith(`.${host}`);
}

async function tunnel(proxy: URL, target: URL): Promise<RequestOptions> {
  const { request } = httpFor(proxy);
  const tls = process.getBuiltinModule("node:tls");
  const authority = `${target.hostname}:${target.port === "" ? "443" : target.port}`;
  const socket = await new Promise<Socket>((resolve, reject) => {
    const connect = request(proxy, {
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...credentials(proxy) },
      agent: false,
      timeout: connectSeconds * 1000,
    });
    connect.once("connect", (answer, connection) => {
      if (answer.statusCode === 200) resolve(connection);
      else reject(noTunnel(`The proxy ${proxy.host} answered ${String(answer.statusCode)}.`));
    });
    connect.once("timeout", () => connect.destroy(noTunnel(`The proxy ${proxy.host} does not answer.`)));
    connect.once("error", (cause: Error & { code?: string }) =>
      reject(
        cause.code === noTunnelCode
          ? cause
          : noTunnel(`The proxy ${proxy.host} could not be reached (${cause.code ?? cause.message}).`),
      ),
    );
    connect.end();
  });
  const host = target.hostname.replace(/^\[|\]$/g, "");
  const named = isIP(host) === 0 ? { servername: host } : {};
  return { createConnection: () => tls.connect({ socket, host, ...named }) };
}

/** Nothing is sent until the tunnel stands. */
function noTunnel(message: string): Error {
  return Object.assign(new Error(message), { code: noTunnelCode });
}

function credentials(proxy: URL): Record<string, string> {
  if (proxy.username === "") return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
