import type { AuthzClient, DevicePrompt, SessionSummary, SignInAddress } from "@authz/client";
import { untilInterrupted } from "../../interruption.js";
import { isOnThisComputer } from "../../messages/on-this-computer.js";
import type { Output } from "../../output/output.js";
import type { CommandContext } from "../command.js";
import { type LoginMethod, openBrowser } from "./login-method.js";

/** Signs in the chosen way, and says meanwhile what the person has to do. Ctrl-C stops it. */
export async function signIn(
  { runtime, output }: CommandContext,
  client: AuthzClient,
  method: LoginMethod,
): Promise<SessionSummary> {
  return await untilInterrupted(async (signal) => {
    if (method.kind === "device") {
      const onPrompt = (prompt: DevicePrompt): void => showPrompt(output, prompt, method.why);
      return await client.loginWithDevice({ signal, onPrompt, pause: runtime.pause });
    }
    const opens = method.kind === "browser";
    const onAddress = (address: SignInAddress): void => showAddress(output, address, opens);
    return await client.login({ signal, onAddress, ...(opens ? { openBrowser } : {}) });
  });
}

function showAddress(output: Output, { url, deviceCode }: SignInAddress, opens: boolean): void {
  output.note(`Device code: ${output.bold(deviceCode)}  (the page in the browser shows the same one)`);
  output.note(
    opens ? "Your browser opens. If it does not, visit:" : "Open this address in a browser on this computer:",
  );
  output.note(url);
  output.progress("Waiting for the browser …  (Ctrl-C stops)");
}

function showPrompt(output: Output, prompt: DevicePrompt, why: string | undefined): void {
  const { verificationUri, verificationUriComplete, userCode, deviceCode } = prompt;
  if (why !== undefined)
    output.note(output.quiet(`No browser opens here, because ${why}. (--browser opens one anyway.)`));
  output.note(
    isOnThisComputer(new URL(verificationUri))
      ? "Open this page in a browser on this computer, or on one to which you forward its port:"
      : "Open this page in a browser on any device:",
  );
  output.note(verificationUri);
  output.note(`and enter this code: ${output.bold(userCode)}`);
  if (verificationUriComplete !== undefined) {
    output.note("The same page with the code filled in:");
    output.note(verificationUriComplete);
  }
  output.note(
    `Device code: ${output.bold(deviceCode)}  (do not enter this one: compare it with the page before you allow the sign-in)`,
  );
  output.progress("Waiting for the other device …  (Ctrl-C stops)");
}
