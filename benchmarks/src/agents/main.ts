/**
 * What a call costs that an agent makes through the server, beside the same call made directly, through a plain proxy made of
 * undici, and through a connection; and whether 200 agents at once all get their answers.
 *
 *     npm run bench -- agents [--quick] [--rounds=5] [--profile=FOLDER]
 */
import { type Es256KeyPair, generateEs256KeyPair } from "@authz/dpop";
import { findFreePort } from "authz-tools/network";
import { clientOf, emailOf, type SignedIn, signIn } from "../authz/people.js";
import { type AnsweringProcess, startProcess } from "../child-process.js";
import { type Installation, startInstallation } from "../connectors/installation.js";
import {
  type Case,
  closeConnections,
  measureWays,
  type PreparedRequest,
  type Sample,
  warmUp,
  type Way,
} from "../connectors/way.js";
import { conditions, inWorkplace, layOutTable, medianOf, print, readOptions } from "../frame.js";
import { callAtOnce } from "./crowd.js";

const agents = 200;
const { quick, rounds, endAt, own, publish } = readOptions({ rounds: [5, 2] }, ["profile"]);
/** How many calls are under way: one, as on a quiet server, or as on one that is at work. How many warm up, and how many are a turn. */
const paces = quick
  ? [
      { atOnce: 1, before: 0, count: 200 },
      { atOnce: 16, before: 600, count: 200 },
    ]
  : [
      // After 2,000 calls the compiler still works in another thread, and a call costs up to a half more than in the end.
      { atOnce: 1, before: 600, count: 400 },
      { atOnce: 16, before: 4000, count: 400 },
    ];
const inRow = 20;
/** Of each agent when all of them call at once, one after the other. */
const each = quick ? 10 : 20;
const scope = "bench:read";
const bytes = 1024;
const path = `/protected/bytes/${bytes}`;
const expected = "a".repeat(bytes);

await inWorkplace(async (place) => {
  const { keep } = place;
  const service = keep(startProcess(new URL("./service-process.js", import.meta.url)));
  const passThrough = keep(startProcess(new URL("../connectors/pass-through-process.js", import.meta.url)));
  keep({ stop: closeConnections });
  const [port, proxyPort] = [await findFreePort(), await findFreePort()];
  const origin = `http://127.0.0.1:${port}`;
  const keyPairs = await Promise.all(Array.from({ length: agents }, () => generateEs256KeyPair()));
  const appKeyPair = await generateEs256KeyPair();
  let [refreshTokens, appTokens]: (readonly string[])[] = [];
  const profile = own["profile"];
  const installation = await startInstallation(place, origin, {
    registry: registryOf(origin),
    execArgv: profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`],
    async seed(seeds, database) {
      const grant = async (pairs: readonly Es256KeyPair[], resource: string, permission: string) => {
        const { rows } = await database.query<{ id: string }>("SELECT id FROM resources WHERE key = $1", [
          resource,
        ]);
        return await seeds.grants(pairs, {
          resourceId: rows[0]?.id ?? "",
          scopes: [permission, "offline_access"],
        });
      };
      refreshTokens = await grant(keyPairs, "agents", "authz:agents");
      appTokens = await grant([appKeyPair], "bench", scope);
    },
  });
  const { issuer, server } = installation;
  await service.ask({ port, issuer, scope });
  await passThrough.ask({ port: proxyPort, origin });
  const mcpUrl = `${issuer}/mcp`;
  const signedIn = await Promise.all(
    keyPairs.map((keyPair, index) => {
      const refreshToken = refreshTokens?.[index] ?? "";
      return signIn({ keyPair, clientId: clientOf(index), refreshToken }, { issuer, resource: mcpUrl });
    }),
  );
  const app = await signIn(
    { keyPair: appKeyPair, clientId: clientOf(0), refreshToken: appTokens?.[0] ?? "" },
    { issuer, resource: origin },
  );
  const callOf = (agent: SignedIn) => toolCall(mcpUrl, origin + path, agent.credentials("POST", mcpUrl));
  const proxy = { process: passThrough, origin: `http://127.0.0.1:${proxyPort}` };
  const ways: readonly Way[] = [
    ...waysOfApp(app, { origin, proxy, installation }),
    {
      name: "agent",
      between: server,
      // Agent after agent, some calls in a row: the first one of an agent finds no open connection to the service.
      prepare: (count) =>
        Array.from({ length: count }, (_, index) =>
          callOf(signedIn[Math.floor(index / inRow) % agents] as SignedIn),
        ),
    },
  ];
  const cases = paces.flatMap(({ before, ...pace }) =>
    ways.map((way): Case & { readonly before: number } => ({
      title: `1 KiB, ${pace.atOnce === 1 ? "one" : pace.atOnce} at a time`,
      way,
      before,
      ...pace,
    })),
  );
  // The quick pace first.
  await warmUp(
    [...cases.slice(ways.length), ...cases.slice(0, ways.length)].map((one) => ({
      ...one,
      count: one.before,
    })),
  );
  const samples = await measureWays(cases, { rounds, endAt: endAt * 0.7 });
  const crowd = await callAtOnce({
    server,
    postgresUrl: installation.postgresUrl,
    calls: signedIn.map((agent) => Array.from({ length: each }, () => callOf(agent))),
  });
  print(conditions(samples), "");
  for (let first = 0; first < cases.length; first += ways.length)
    print(...layOut(cases.slice(first, first + ways.length), samples.slice(first, first + ways.length)), "");
  print(...crowd.lines);
  publish(
    [2, 3].map((index) => ({
      what: `Call through ${index === 2 ? "a connection" : "the address for agents"}, 1 KiB, added CPU`,
      figure: `${(cpuOf(samples[index]) / 1000).toFixed(2)} ms`,
      beside: `undici pass-through, ${(cpuOf(samples[1]) / 1000).toFixed(2)} ms`,
      ratio: (cpuOf(samples[index]) / cpuOf(samples[1])).toFixed(1),
    })),
  );
  if (!crowd.isComplete) process.exitCode = 1;
});

/** Directly, through a plain proxy, and through the person's connection. */
function waysOfApp(
  app: SignedIn,
  {
    origin,
    proxy,
    installation,
  }: {
    readonly origin: string;
    readonly proxy: { readonly process: AnsweringProcess; readonly origin: string };
    readonly installation: Installation;
  },
): readonly Way[] {
  /** The proof names the service, also through the proxy. */
  const asApp = (base: string) => (count: number) =>
    Array.from({ length: count }, () => ({
      url: base + path,
      headers: app.credentials("GET", origin + path),
      expected,
    }));
  return [
    { name: "direct", between: undefined, prepare: asApp(origin) },
    { name: "undici pass-through", between: proxy.process, prepare: asApp(proxy.origin) },
    {
      name: "connection",
      between: installation.server,
      prepare: async (count) =>
        (await installation.credentials("GET", count)).map((headers) => ({
          url: installation.url,
          headers: { ...headers, "authz-target": `${origin}/v1/bytes/${bytes}` },
          expected,
        })),
    },
  ];
}

/** A service that agents may call, and people who may. */
function registryOf(origin: string) {
  return {
    scopes: [{ key: scope, description: "Read" }],
    resources: [
      {
        key: "bench",
        name: "Benchmark",
        resource: origin,
        authorizationServer: origin,
        clientId: "authz-cli",
        requestPrefixes: [`${origin}/protected`],
        scopes: [scope],
        skillDiscovery: false,
      },
    ],
    assignments: Array.from({ length: agents }, (_, person) => ({
      email: emailOf(person),
      // The first one has the connection, too.
      scopes: ["authz:agents", scope, ...(person === 0 ? ["authz:login"] : [])],
    })),
  };
}

/** A call of the tool `request`, as hosts of the revision 2025-11-25 make it. */
function toolCall(mcpUrl: string, target: string, credentials: PreparedRequest["headers"]): PreparedRequest {
  return {
    url: mcpUrl,
    headers: {
      ...credentials,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "request", arguments: { url: target } },
    }),
    expected,
  };
}

function cpuOf(samples: readonly Sample[] = []): number {
  return medianOf(samples, (sample) => sample.cpuMicroseconds);
}

/**
 * A way adds the CPU of what is in between: of all threads of its process, with what it does every second anyway.
 * A call leaves an event that is sealed and indexed one to three seconds later. That is counted where it falls: a turn has the events of
 * the turns before it, and one at a time, where most of a round's time goes by, has some of those that were made 16 at a time as well.
 *
 * The service has the same work for all of them: it verifies a token and a proof for the direct call, the plain proxy and the agent. The
 * plain proxy reads no JSON, verifies nothing and asks no database.
 */
function layOut(cases: readonly Case[], samples: readonly (readonly Sample[])[]): readonly string[] {
  const head = ["p50 ms", "p99 ms", "calls/s", "CPU µs added", "over the plain proxy", "ratio"];
  const plain = cpuOf(samples[1]);
  const rows = cases.map(({ way }, index) => {
    const cpu = cpuOf(samples[index]);
    return [
      way.name,
      medianOf(samples[index], ({ p50 }) => p50).toFixed(2),
      medianOf(samples[index], ({ p99 }) => p99).toFixed(2),
      medianOf(samples[index], ({ perSecond }) => perSecond).toFixed(0),
      index < 1 ? "" : cpu.toFixed(0),
      index < 2 ? "" : (cpu - plain).toFixed(0),
      index < 2 ? "" : (cpu / plain).toFixed(1),
    ];
  });
  return layOutTable([[cases[0]?.title ?? "", ...head], ...rows]);
}
