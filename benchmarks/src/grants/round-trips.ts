import { connect, createServer, type Socket } from "node:net";
import type { Es256KeyPair } from "@authz/dpop";
import type { AnsweringProcess } from "../child-process.js";
import type { Stoppable } from "../frame.js";
import { asParticipant, type Contender, type Workload } from "./contender.js";

/** Stands between a server and PostgreSQL and reads what it forwards. */
export interface RoundTripCounter extends Stoppable {
  /** Where the server connects. */
  readonly url: string;
  /** What was sent since the last call: the name of each statement, or how it starts. One entry is one round trip. */
  take(): string[];
}

export type RoundTrips = Readonly<Partial<Record<Workload, readonly string[]>>>;

/**
 * Lists what one request of each workload sends to the database. Requests are sent one by one; the shortest list of five
 * is taken, because work in the background counts as well.
 */
export async function listRoundTrips(
  contender: Contender,
  counter: RoundTripCounter,
  { load, keyPair }: { readonly load: AnsweringProcess; readonly keyPair: Es256KeyPair },
): Promise<RoundTrips> {
  const participant = await asParticipant(contender, load, [keyPair]);
  const shortest: Partial<Record<Workload, readonly string[]>> = {};
  for (const workload of participant.workloads) {
    for (let request = 0; request < 5; request += 1) {
      const run = await participant.prepare(workload, 1);
      counter.take();
      await run();
      const trips = counter.take();
      if (trips.length <= (shortest[workload]?.length ?? Number.POSITIVE_INFINITY))
        shortest[workload] = trips;
    }
  }
  return shortest;
}

/**
 * Starts the counter. A round trip ends with ReadyForQuery ("Z"); what it was for is in the Bind ("B") or the simple
 * Query ("Q") before it. Messages of the start of a connection are not counted.
 */
export function countRoundTrips(postgresUrl: string): Promise<RoundTripCounter> {
  const url = new URL(postgresUrl);
  const target = { host: url.hostname, port: Number(url.port) };
  const trips: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((front) => {
    const back = connect(target);
    let statement = "";
    let started = false;
    const texts = new Map<string, string>();
    forward(back, front, 1, (type) => {
      if (type !== "Z") return;
      if (started) trips.push(statement);
      started = true;
    });
    // The first message of a client has no type.
    forward(front, back, 0, (type, payload) => {
      const [first = "", second = ""] = payload.toString("latin1").split("\0");
      if (type === "P") texts.set(first, first === "" ? describe(second) : first);
      else if (type === "B") statement = texts.get(second) ?? second;
      else if (type === "Q") statement = describe(first);
    });
    for (const socket of [front, back]) sockets.add(socket.setNoDelay(true));
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) url.port = String(address.port);
      resolve({
        url: url.href,
        take: () => trips.splice(0),
        stop() {
          server.close();
          for (const socket of sockets) socket.destroy();
        },
      });
    });
  });
}

type OnMessage = (type: string, payload: Buffer) => void;

/** Forwards everything, and reads messages: a type, four bytes of length, and the rest. */
function forward(from: Socket, to: Socket, firstTypeBytes: 0 | 1, onMessage: OnMessage): void {
  let typeBytes: number = firstTypeBytes;
  let rest: Buffer = Buffer.alloc(0);
  from.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + 4) {
      const length = rest.readInt32BE(typeBytes) + typeBytes;
      if (rest.length < length) break;
      if (typeBytes === 1) onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, length));
      typeBytes = 1;
      rest = rest.subarray(length);
    }
    to.write(chunk);
  });
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}

function describe(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 40);
}
