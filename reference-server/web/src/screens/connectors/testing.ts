import type { ConnectorTest } from "@admin/connectors";
import { apiPath, request } from "../../api/request";
import { createStore, useStore } from "../../store";

/** Keys of the connectors whose credentials are being tested, whichever screen started it. */
const running = createStore<ReadonlySet<string>>(new Set());

/** Asks the third party whether it knows the connector's client. */
export async function testCredentials(key: string): Promise<ConnectorTest> {
  running.set(new Set([...running.get(), key]));
  try {
    return await request<ConnectorTest>(apiPath("connectors", key, "tests"), { method: "POST" });
  } finally {
    running.set(new Set([...running.get()].filter((one) => one !== key)));
  }
}

/** Tests after saving. Ignores failures: the connector's page shows a missing test. */
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

/** Whether a test of the connector is running. */
export function useTesting(key: string): boolean {
  return useStore(running).has(key);
}
