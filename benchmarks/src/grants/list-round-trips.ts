import type { Es256KeyPair } from "@authz/dpop";
import type { AnsweringProcess } from "./child-process.js";
import type { Contender } from "./contender.js";
import type { Workload } from "./load.js";
import { asParticipant, type Participant } from "./participant.js";
import type { RoundTripCounter } from "./round-trips.js";

/**
 * What one request of each workload sends to the database. Requests are sent one by one; the shortest list of some is
 * taken, because work in the background counts as well.
 */
export async function listRoundTrips(
  contender: Contender,
  counter: RoundTripCounter,
  { load, keyPair }: { readonly load: AnsweringProcess; readonly keyPair: Es256KeyPair },
): Promise<Readonly<Partial<Record<Workload, readonly string[]>>>> {
  const participant = await asParticipant(contender, load, [keyPair]);
  const lists: Partial<Record<Workload, readonly string[]>> = {};
  for (const workload of participant.workloads)
    lists[workload] = await shortestOf(5, participant, workload, counter);
  return lists;
}

async function shortestOf(
  times: number,
  participant: Participant,
  workload: Workload,
  counter: RoundTripCounter,
): Promise<readonly string[]> {
  const found: string[][] = [];
  for (let request = 0; request < times; request += 1) {
    const run = await participant.prepare(workload, 1);
    counter.take();
    await run();
    found.push(counter.take());
  }
  return found.sort((a, b) => a.length - b.length)[0] ?? [];
}
