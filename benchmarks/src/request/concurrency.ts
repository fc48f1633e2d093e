import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type AuthzRequest, initAuthz, type Decision } from "@authz/verify";
import { inTurns, layOutTable, medianOf, type Options } from "../frame.js";
import { makeServiceRequests, type Service } from "./contenders.js";

/** Requests that a busy server has read and not answered yet. */
const atATime = 64;

/** What one process does while it has many requests to check. */
interface Throughput {
  readonly checksPerSecond: number;
  /** Of all its threads, per check. */
  readonly cpuMicroseconds: number;
}

const forms = ["synchronous", "concurrent"] as const;
type Form = (typeof forms)[number];

/** Measures both forms of verification in turns: checks per second of one process that has 64 requests at a time. */
export async function measureThroughput(
  service: Service,
  { rounds, endAt, operations }: Pick<Options, "rounds" | "endAt"> & { readonly operations: number },
): Promise<Readonly<Record<Form, Throughput>>> {
  const turns = forms.map((verification) => ({
    name: `${verification}, ${atATime} at a time`,
    take: prepareTurn(service, verification, operations),
  }));
  const [synchronous, concurrent] = (await inTurns(turns, { rounds, endAt })).map((samples) => ({
    checksPerSecond: medianOf(samples, (sample) => sample.checksPerSecond),
    cpuMicroseconds: medianOf(samples, (sample) => sample.cpuMicroseconds),
  })) as [Throughput, Throughput];
  return { synchronous, concurrent };
}

/** Lays both out, with what the threads gain. */
export function layOutThroughput(measured: Readonly<Record<Form, Throughput>>): readonly string[] {
  const rows = forms.map((form) => [
    `verification: "${form}"`,
    measured[form].checksPerSecond.toFixed(0),
    measured[form].cpuMicroseconds.toFixed(1),
    `${(measured[form].checksPerSecond / measured.synchronous.checksPerSecond).toFixed(2)} ×`,
  ]);
  return layOutTable([[`${atATime} requests at a time`, "checks/s", "CPU µs", ""], ...rows]);
}

function prepareTurn(
  { issuer, clients }: Service,
  verification: Form,
  operations: number,
): () => Promise<Throughput> {
  const authz = initAuthz(issuer.url, { ...issuer.options, verification });
  const policy = authz.definePolicy({ scopes: ["contracts:read"] });
  return async () => {
    const requests = makeServiceRequests({ issuer, clients }, operations);
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    const next = requests.values();
    await Promise.all(
      Array.from({ length: atATime }, () => answer(next, (one) => authz.decide(one, policy))),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { checksPerSecond: operations / seconds, cpuMicroseconds: (user + system) / operations };
  };
}

/** One connection: its next request comes when the one before is answered, in another turn of the event loop. */
async function answer(
  requests: Iterable<AuthzRequest>,
  decide: (request: AuthzRequest) => Decision | Promise<Decision>,
): Promise<void> {
  for (const request of requests) {
    const { refusal } = await decide(request);
    if (refusal !== undefined) throw new Error(`A request was refused: ${refusal.body}`);
    await nextTurn();
  }
}
