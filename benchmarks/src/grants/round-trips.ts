import { connect, createServer, type Socket } from "node:net";

/** Stands between a server and PostgreSQL and reads what it forwards. */
export interface RoundTripCounter {
  /** Where the server connects. */
  readonly url: string;
  /** What was sent since the last call: the name of each statement, or how it starts. One entry is one round trip. */
  take(): string[];
  close(): void;
}

/**
 * Starts the counter. A round trip ends with ReadyForQuery ("Z"); what it was for is in the Bind ("B") or the simple
 * Query ("Q") before it. Messages of the start of a connection are not counted.
 */
export function countRoundTrips(postgresUrl: string): Promise<RoundTripCounter> {
  const target = new URL(postgresUrl);
  const trips: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((front) => {
    const back = connect({ host: target.hostname, port: Number(target.port) });
    let statement = "";
    let started = false;
    const texts = new Map<string, string>();
    const fromServer = readMessages((type) => {
      if (type !== "Z") return;
      if (started) trips.push(statement);
      started = true;
    });
    const fromClient = readMessages((type, payload) => {
      if (type === "P") {
        const [name = "", text = ""] = payload.toString("latin1").split("\0");
        texts.set(name, name === "" ? describe(text) : name);
      } else if (type === "B") {
        const [, name = ""] = payload.toString("latin1").split("\0");
        statement = texts.get(name) ?? name;
      } else if (type === "Q") statement = describe(payload.toString("latin1"));
    }, firstMessageBytes);
    link(front, back, fromClient);
    link(back, front, fromServer);
    for (const socket of [front, back]) sockets.add(socket.setNoDelay(true));
  });
  const url = new URL(postgresUrl);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) url.port = String(address.port);
      resolve({
        url: url.href,
        take: () => trips.splice(0),
        close() {
          server.close();
          for (const socket of sockets) socket.destroy();
        },
      });
    });
  });
}

function link(from: Socket, to: Socket, read: (chunk: Buffer) => void): void {
  from.on("data", (chunk) => {
    read(chunk);
    to.write(chunk);
  });
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}

/** The first message of a client has no type: four bytes of length, then the rest. */
const firstMessageBytes = (buffer: Buffer): number => (buffer.length < 4 ? 0 : buffer.readInt32BE(0));

function readMessages(
  onMessage: (type: string, payload: Buffer) => void,
  skipFirst?: (buffer: Buffer) => number,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let skipping = skipFirst !== undefined;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (skipping && skipFirst !== undefined) {
      const length = skipFirst(rest);
      if (length === 0 || rest.length < length) return;
      rest = rest.subarray(length);
      skipping = false;
    }
    while (rest.length >= 5) {
      const length = rest.readInt32BE(1) + 1;
      if (rest.length < length) return;
      onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, length));
      rest = rest.subarray(length);
    }
  };
}

function describe(text: string): string {
  return text.replaceAll("\0", "").replaceAll(/\s+/g, " ").trim().slice(0, 40);
}
