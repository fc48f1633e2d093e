import { Agent, request } from "undici";
import type { AnsweringProcess } from "../grants/child-process.js";

/** A way to the API. */
export interface Participant {
  readonly name: string;
  /** What is in between; `undefined`: nothing. */
  readonly process: AnsweringProcess | undefined;
  /** The address and headers of that many requests; made before the clock starts. */
  prepare(workload: Workload, count: number): Promise<readonly PreparedRequest[]>;
}

/** What one request moves. */
export interface Workload {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly bytes: number;
}

export interface PreparedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const agent = new Agent({ pipelining: 1, connections: 64 });
const uploads = new Map<number, Buffer>();

/** Sends one request and reads all of the answer. An answer other than 200, or a short one, ends the run. */
export async function send({ method, bytes }: Workload, prepared: PreparedRequest): Promise<void> {
  const upload = uploads.get(bytes) ?? Buffer.alloc(bytes, "a");
  uploads.set(bytes, upload);
  const body = method === "POST" ? upload : null;
  const answer = await request(prepared.url, { dispatcher: agent, method, headers: prepared.headers, body });
  let received = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) received += chunk.length;
  const expected = method === "GET" ? bytes : 2;
  if (answer.statusCode !== 200 || received !== expected) {
    throw new Error(`${prepared.url} answered with ${answer.statusCode} and ${received} bytes.`);
  }
}

export async function closeClient(): Promise<void> {
  await agent.close();
}
