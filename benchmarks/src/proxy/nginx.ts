/** nginx in both roles: as the upstream that everything asks, and as the proxy to compare with. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export const paths = ["/.well-known/oauth-authorization-server", "/api/oauth/jwks"] as const;

/** As long as a real document of the server. */
export const document: string = JSON.stringify({ issuer: "https://127.0.0.1", filler: "x".repeat(1800) });

interface Written {
  readonly folder: string;
  readonly name: string;
  readonly http: string;
}

/** Writes a configuration and returns the command that runs it. */
function write({ folder, name, http }: Written): string[] {
  const file = join(folder, `${name}.conf`);
  writeFileSync(
    file,
    `daemon off;
worker_processes 1;
pid ${folder}/${name}.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path ${folder}/${name}-body;
  proxy_temp_path ${folder}/${name}-proxy;
  fastcgi_temp_path ${folder}/${name}-fastcgi;
  uwsgi_temp_path ${folder}/${name}-uwsgi;
  scgi_temp_path ${folder}/${name}-scgi;
${http}
}
`,
  );
  return ["nginx", "-e", "stderr", "-p", folder, "-c", file];
}

/** The upstream over HTTPS. One port says how long its answers are fresh, the other forbids keeping them. */
export function upstreamCommand(folder: string, ports: { fresh: number; noStore: number }): string[] {
  const server = (port: number, cacheControl: string) => `  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    default_type application/json;
    add_header Cache-Control "${cacheControl}";
${paths.map((path) => `    location = ${path} { return 200 '${document}'; }`).join("\n")}
  }`;
  const http = [server(ports.fresh, "public, max-age=300"), server(ports.noStore, "no-store")].join("\n");
  return write({ folder, name: "upstream", http });
}

export interface NginxProxyOptions {
  readonly port: number;
  readonly upstream: number;
  /** Whether it answers from its cache what is fresh. */
  readonly cache: boolean;
}

/** The proxy: the same two paths, the same rules for what travels upstream, kept connections. */
export function nginxProxyCommand(folder: string, { port, upstream, cache }: NginxProxyOptions): string[] {
  const zone = `  proxy_cache_path ${folder}/cache-${port} keys_zone=documents:1m;
  proxy_cache documents;
  proxy_cache_lock on;
`;
  const location = (path: string) => `    location = ${path} {
      limit_except GET { deny all; }
      proxy_pass https://authz;
    }`;
  const http = `${cache ? zone : ""}  upstream authz {
    server 127.0.0.1:${upstream};
    keepalive 64;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_pass_request_headers off;
    proxy_pass_request_body off;
    proxy_set_header Connection "";
    proxy_ssl_verify on;
    proxy_ssl_trusted_certificate ${folder}/cert.pem;
    proxy_ssl_name 127.0.0.1;
${paths.map(location).join("\n")}
    location / { return 404; }
  }`;
  return write({ folder, name: `proxy-${port}`, http });
}
