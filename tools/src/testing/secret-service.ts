import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const programs = ["dbus-daemon", "gnome-keyring-daemon"];

/** Whether this computer can run a Secret Service of its own for a test. */
export const hasSecretService: boolean =
  process.platform === "linux" && programs.every((name) => spawnSync(name, ["--version"]).status === 0);

/** A real keyring on a session bus of its own, unlocked, with its data in a folder of the test. */
export interface SecretService {
  /** What a program needs to find it. */
  env: Record<string, string>;
  /** Ends the keyring and leaves the bus. */
  stopKeyring(): Promise<void>;
  stop(): Promise<void>;
}

/** A bus that starts no services by itself: a second keyring would be a locked one. */
const busConfig = (folder: string): string => `<!DOCTYPE busconfig PUBLIC
  "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=${folder}</listen>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>
`;

/** Starts it; `isReady` says whether it can be used yet, and is asked until it can. */
export async function startSecretService(
  home: string,
  isReady: (env: Record<string, string>) => Promise<boolean>,
): Promise<SecretService> {
  const runtime = join(home, "run");
  await mkdir(runtime, { recursive: true });
  await chmod(runtime, 0o700);
  const config = join(runtime, "bus.conf");
  await writeFile(config, busConfig(runtime));
  const own = { PATH: process.env.PATH ?? "", HOME: home, XDG_RUNTIME_DIR: runtime };
  const bus = spawn("dbus-daemon", ["--nofork", "--print-address", `--config-file=${config}`], { env: own });
  const address = (await firstOutput(bus)).trim();
  const env = { XDG_RUNTIME_DIR: runtime, DBUS_SESSION_BUS_ADDRESS: address };
  const keyring = spawn("gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], {
    env: { ...own, ...env },
  });
  // The password of its keyring, which it makes at the first time.
  keyring.stdin.end("password of the test");
  const stop = async (): Promise<void> => {
    await end(keyring);
    await end(bus);
  };
  for (let tries = 0; !(await isReady(env)); tries += 1) {
    if (tries < 50 && keyring.exitCode === null) continue;
    await stop();
    throw new Error("The keyring did not become ready.");
  }
  return { env, stopKeyring: async () => await end(keyring), stop };
}

async function firstOutput(child: ReturnType<typeof spawn>): Promise<string> {
  return await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`It ended with ${String(code)} before it was ready.`)));
    child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString()));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once("exit", resolve);
  });
  child.kill();
  await ended;
}
