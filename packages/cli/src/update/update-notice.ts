import { createOutput, type OutputMode } from "../output/output.js";
import { type Runtime, updateCommand } from "../runtime.js";
import { isNewer, loadUpdateRecord, saveUpdateRecord } from "./update-record.js";

const dayMs = 24 * 3600 * 1000;
/** The version of unreleased sources, which have no update. */
const unreleasedVersion = "0.0.0";

/** Whether this run may speak of updates: a person reads it, not a script, and has not switched it off. */
export function mayNotice({ env, stderrIsTerminal }: Runtime, mode: OutputMode): boolean {
  const isOff = ["CI", "AUTHZ_NO_UPDATE_NOTICE", "NO_UPDATE_NOTIFIER"].some(
    (name) => (env[name] ?? "") !== "",
  );
  return stderrIsTerminal && !mode.json && !mode.agent && !isOff;
}

/**
 * Says that there is a newer version, at most once a day, and has the registry asked, at most once a day, by a process of its own: no
 * command waits for it. What that process learns is said at the end of a later command. Nothing about this computer is sent.
 */
export async function noticeUpdate(runtime: Runtime, mode: OutputMode): Promise<void> {
  const version = runtime.version();
  if (version === unreleasedVersion) return;
  const now = runtime.clock();
  const record = await loadUpdateRecord(runtime);
  const { latest } = record;
  const shows = latest !== undefined && isNewer(latest, version) && now - record.shownAt >= dayMs;
  const asks = now - record.checkedAt >= dayMs;
  if (shows) {
    const output = createOutput(runtime, mode);
    const how = runtime.newVersionsAt ?? updateCommand(runtime.program);
    output.note(output.quiet(`authz ${latest} is available; this is ${version}. Update: ${how}`));
  }
  if (!shows && !asks) return;
  await saveUpdateRecord(runtime, {
    ...record,
    ...(shows ? { shownAt: now } : {}),
    ...(asks ? { checkedAt: now } : {}),
  });
  if (asks) runtime.startUpdateCheck();
}
