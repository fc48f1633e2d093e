/**
 * The load generator: one connection per device, each sending its next request as soon as the last is answered. Proofs
 * are made before the clock starts. An answer other than 200 ends the run: the figures would be about something else.
 */
import { performance } from "node:perf_hooks";
import { createProofSigner } from "@authz/dpop";
import { answerQuestions } from "../child-process.js";
import { quantile } from "../frame.js";
import { KeptConnection } from "../kept-connection.js";
import type { LoadRequest, LoadResult } from "./contender.js";

/** The form parameter that carries the secret of each workload. */
const secretParameter = { refresh: "refresh_token", code: "code", exchange: "subject_token" } as const;

answerQuestions(async (load: LoadRequest): Promise<LoadResult> => {
  const share = Math.ceil(load.count / load.devices.length);
  const url = new URL(load.tokenUrl);
  const latencies: number[] = [];
  const runs = await Promise.all(
    load.devices.map(async ({ keyPair, ...device }, index) => {
      const signer = createProofSigner(keyPair);
      const proofs = Array.from({ length: share }, () => signer.sign({ method: "POST", url: load.tokenUrl }));
      const port = load.ports[index % load.ports.length] ?? Number.NaN;
      return { ...device, proofs, connection: await KeptConnection.open(port) };
    }),
  );
  const started = performance.now();
  const refreshTokens = await Promise.all(runs.map(send));
  const seconds = (performance.now() - started) / 1000;
  for (const { connection } of runs) connection.close();
  return {
    seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    refreshTokens,
  };

  async function send({ proofs, secrets, clientId, connection }: (typeof runs)[number]): Promise<string> {
    let [secret = ""] = secrets;
    for (const [index, dpop] of proofs.entries()) {
      if (load.workload === "code") secret = secrets[index] ?? "";
      const own = { client_id: clientId, [secretParameter[load.workload]]: secret };
      const form = new URLSearchParams({ ...load.parameters, ...own }).toString();
      const head =
        `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\ndpop: ${dpop}\r\n` +
        `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${form.length}\r\n`;
      const before = performance.now();
      const { status, body } = await connection.send(`${head}\r\n${form}`);
      latencies.push(performance.now() - before);
      if (status !== 200) throw new Error(`${load.workload}: ${status} ${body}`);
      if (load.workload === "refresh") secret = (JSON.parse(body) as { refresh_token: string }).refresh_token;
    }
    return secret;
  }
});
