import type { ConnectorTest } from "@admin/connectors";
import { useSyncExternalStore } from "react";
import { apiPath, request } from "../../api/request";

/** The connectors whose credentials are tested at this moment, whichever screen has begun it. */
let running: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

/** Asks the third party whether it knows the connector's client. Nobody has to wait for it. */
export async function testCredentials(key: string): Promise<ConnectorTest> {
  update(new Set([...running, key]));
  try {
    return await request<ConnectorTest>(apiPath("connectors", key, "tests"), { method: "POST" });
  } finally {
    update(new Set([...running].filter((one) => one !== key)));
  }
}

/** The same after something was saved. It cannot fail: that the test is missing stands on the connector's page. */
export async function testInBackground(
  key: string,
  forget: (...paths: readonly string[]) => Promise<void>,
): Promise<void> {
  try {
    await testCredentials(key);
  } catch {
    return;
  }
  await forget("/connectors");
}

/** Whether that is going on for one of them. */
export function useTesting(key: string): boolean {
  return useSyncExternalStore(subscribe, () => running.has(key));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function update(next: ReadonlySet<string>): void {
  running = next;
  for (const listener of listeners) listener();
}
