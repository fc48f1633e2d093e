import { connect, createServer, type Socket } from "node:net";

/** What people and clients know the installation by; whichever process is behind it. */
export interface IssuerAddress {
  /** Where new connections go from now on; those that are there end. */
  sendTo(origin: string): void;
  close(): void;
}

/** Listens where the issuer is, like a load balancer in front of several processes. */
export async function openIssuerAddress(issuer: string): Promise<IssuerAddress> {
  const sockets = new Set<Socket>();
  let target = { host: "127.0.0.1", port: 0 };
  const keep = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((front) => {
    const back = connect(target);
    keep(front, back);
    keep(back, front);
    front.pipe(back);
    back.pipe(front);
  });
  await new Promise<void>((resolve) => {
    server.listen(Number(new URL(issuer).port), "127.0.0.1", resolve);
  });
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    sendTo(origin) {
      const { hostname: host, port } = new URL(origin);
      target = { host, port: Number(port) };
      endAll();
    },
    close() {
      server.close();
      endAll();
    },
  };
}
