/**
 * The time from each signal that a person's access is over to the last call that is accepted: at a service, at the address for agents
 * and through a connection, with two processes of the server on one PostgreSQL.
 *
 *     npm run bench -- endings [--quick] [--rounds=20]
 *
 * A round is one person for each signal.
 */
import { inWorkplace, median, print, readOptions, showProgress } from "../frame.js";
import { closeConnections } from "./app.js";
import { startInstallation, type Target, targets } from "./installation.js";
import { createSignals, presenceSignal, signalNames } from "./signals.js";
import { limitSeconds, type Run, watch } from "./watch.js";

/** Between the starts of two people, on average. */
const spacingMs = 650;
/** The start of each varies by this, so that no signal always meets a status list of the same age. */
const spreadMs = 10_000;
const { rounds, publish } = readOptions({ rounds: [20, 2] });
const titles: Readonly<Record<Target, string>> = {
  service: "Service with the SDK",
  agents: "`{issuer}/mcp`",
  connection: "Connection",
};

await inWorkplace(async (place) => {
  place.keep({ stop: closeConnections });
  const planned = Array.from({ length: rounds }, () => signalNames).flat();
  showProgress(`signing ${planned.length} people in`);
  const installation = await startInstallation(
    place,
    planned.map((name) => name === presenceSignal),
  );
  const signals = await createSignals(installation);
  const runs = await Promise.all(
    planned.map(async (name, person) => {
      const member = installation.members[person];
      if (member === undefined) throw new TypeError("A person is missing.");
      await new Promise((resolve) => setTimeout(resolve, person * spacingMs + Math.random() * spreadMs));
      showProgress(`person ${person + 1} of ${planned.length}: ${name}`);
      const send = await signals[name](member);
      return { name, run: await watch(member, installation, send) };
    }),
  );
  const runsOf = (name: string) => runs.flatMap((one) => (one.name === name ? [one.run] : []));

  print(
    `| Signal | ${targets.map((target) => titles[target]).join(" | ")} |`,
    `|---|${targets.map(() => "---:|").join("")}`,
    ...signalNames.map(
      (name) => `| ${name} | ${targets.map((one) => show(runsOf(name), one)).join(" | ")} |`,
    ),
    "",
    `Seconds to the last accepted call, median and worst of ${rounds}.`,
    "",
    ...signalNames.map((name) => `${name}: ${showRefusals(runsOf(name))}`),
  );
  const all = runs.flatMap(({ run }) => targets.map((target) => run[target].seconds));
  publish([
    {
      what: "Seconds from a signal to the last accepted call, the worst",
      figure: `${Math.max(...all).toFixed(1)} s`,
      beside: "the goal of 12 s",
      ratio: (Math.max(...all) / 12).toFixed(2),
    },
  ]);
  if (all.some((seconds) => seconds >= limitSeconds)) {
    process.stderr.write(`A call was accepted ${limitSeconds} s after the signal.\n`);
    process.exitCode = 1;
  }
});

function show(runs: readonly Run[], target: Target): string {
  const seconds = runs.map((run) => run[target].seconds);
  return `${median(seconds).toFixed(1)}, ${Math.max(...seconds).toFixed(1)}`;
}

/** How calls ended, so that a broken server is not taken for a fast one. */
function showRefusals(runs: readonly Run[]): string {
  return targets
    .map((target) => `${target} ${[...new Set(runs.flatMap((run) => run[target].refusals))].join(", ")}`)
    .join("; ");
}
