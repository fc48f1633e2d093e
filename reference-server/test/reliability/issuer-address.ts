import { createServer, request as send } from "node:http";

/** What people and clients know the installation by; whichever process is behind it. */
export interface IssuerAddress {
  /** Where requests go from now on; those that are on their way stay where they are. */
  sendTo(origin: string): void;
  close(): void;
}

/** Listens where the issuer is, like a load balancer in front of several processes. Nothing is kept alive. */
export async function openIssuerAddress(issuer: string): Promise<IssuerAddress> {
  let target = { host: "127.0.0.1", port: 0 };
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const onward = send({ ...target, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: "close" });
      // The process was killed in the middle of its answer.
      answer.once("error", () => response.destroy());
      answer.pipe(response);
    });
    onward.once("error", () => response.destroy());
    response.once("close", () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => {
    server.listen(Number(new URL(issuer).port), "127.0.0.1", resolve);
  });
  return {
    sendTo(origin) {
      const { hostname: host, port } = new URL(origin);
      target = { host, port: Number(port) };
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
