/**
 * The load generator: one connection per device, each sending its next request as soon as the last is answered. Proofs
 * are made before the clock starts. An answer other than 200 ends the run: the figures would be about something else.
 */
import { performance } from "node:perf_hooks";
import { createProofSigner } from "@authz/dpop";
import { answerQuestions } from "./child-process.js";
import { HttpConnection } from "./http-connection.js";
import { type LoadRequest, type LoadResult, secretParameter } from "./load.js";

answerQuestions(generateLoad);

async function generateLoad(load: LoadRequest): Promise<LoadResult> {
  const share = Math.ceil(load.count / load.devices.length);
  const url = new URL(load.tokenUrl);
  const latencies: number[] = [];
  const runs = await Promise.all(
    load.devices.map(async ({ keyPair, secrets, clientId }, device) => {
      const signer = createProofSigner(keyPair);
      const proofs = Array.from({ length: share }, () => signer.sign({ method: "POST", url: load.tokenUrl }));
      return { connection: await HttpConnection.open(portOf(device)), proofs, secrets, clientId };
    }),
  );
  const started = performance.now();
  const refreshTokens = await Promise.all(runs.map((run) => send(run)));
  const seconds = (performance.now() - started) / 1000;
  for (const { connection } of runs) connection.close();
  latencies.sort((a, b) => a - b);
  const at = (part: number) => latencies[Math.floor((latencies.length - 1) * part)] ?? Number.NaN;
  return { seconds, medianMilliseconds: at(0.5), p99Milliseconds: at(0.99), refreshTokens };

  function portOf(device: number): number {
    return load.ports[device % load.ports.length] ?? Number.NaN;
  }

  async function send(run: (typeof runs)[number]): Promise<string> {
    let [secret = ""] = run.secrets;
    for (const [index, dpop] of run.proofs.entries()) {
      if (load.workload === "code") secret = run.secrets[index] ?? "";
      const parameters = {
        ...load.parameters,
        client_id: run.clientId,
        [secretParameter[load.workload]]: secret,
      };
      const before = performance.now();
      const answer = await run.connection.post(url, new URLSearchParams(parameters).toString(), { dpop });
      latencies.push(performance.now() - before);
      if (answer.status !== 200) throw new Error(`${load.workload}: ${answer.status} ${answer.body}`);
      if (load.workload === "refresh") {
        secret = (JSON.parse(answer.body) as { refresh_token: string }).refresh_token;
      }
    }
    return secret;
  }
}
