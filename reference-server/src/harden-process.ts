/**
 * Closes what Node.js leaves open in a process that holds secrets. Called first.
 *
 * docs/reference/threat-model.md explains what stays open.
 */
export function hardenProcess(): void {
  // The same as --disable-proto=delete, however the process is started. Object.setPrototypeOf remains.
  Reflect.deleteProperty(Object.prototype, "__proto__");
  // Without a listener Node.js opens a debugger, which can read all of memory.
  process.on("SIGUSR1", () => undefined);
  if (process.report === undefined) return;
  process.report.reportOnFatalError = false;
  process.report.reportOnSignal = false;
  process.report.reportOnUncaughtException = false;
}

/**
 * Removes this server's variables from the environment, which crash reports, error trackers and child processes copy. All of them, so
 * that none has to be known as a secret.
 */
export function forgetOwnVariables(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) {
    if (/^(?:AUTHZ?|POSTGRES)_/.test(name)) Reflect.deleteProperty(environment, name);
  }
}
