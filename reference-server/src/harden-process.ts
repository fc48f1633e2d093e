/**
 * Closes what Node.js leaves open in a process that holds secrets. Called before anything else happens.
 *
 * What stays open, and why, is in docs/reference/threat-model.md.
 */
export function hardenProcess(): void {
  // Prototypes are set with Object.setPrototypeOf, or not at all. As --disable-proto=delete, whoever starts the process.
  Reflect.deleteProperty(Object.prototype, "__proto__");
  // Node.js would open a debugger, which reads all of memory. A listener of our own takes its place.
  process.on("SIGUSR1", () => undefined);
  if (process.report === undefined) return;
  process.report.reportOnFatalError = false;
  process.report.reportOnSignal = false;
  process.report.reportOnUncaughtException = false;
}

/**
 * Removes what the configuration was read from: the environment is what crash reports, error trackers and child processes copy.
 * Every variable of ours goes, so that none has to be known as a secret.
 */
export function forgetOwnVariables(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) {
    if (/^(?:AUTHZ?|POSTGRES)_/.test(name)) Reflect.deleteProperty(environment, name);
  }
}
