/**
 * The command as one program: what `bin/authz.js` does, for a copy of Node that has all of it inside and no package around it.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { leaveSoon } from "../../bin/leave.js";
import { main } from "../main.js";
import { nodeRuntime, type Runtime } from "../runtime.js";
import { checkForUpdate } from "../update/check-for-update.js";

/** Put in by the build. */
declare const AUTHZ_VERSION: string;

/** What the program starts itself with to ask for a newer version. */
const checkUpdateArgument = "__check-update";

const [, , ...args] = process.argv;
if (args[0] === checkUpdateArgument) void checkForUpdate(standaloneRuntime());
else void run();

async function run(): Promise<void> {
  process.exitCode = await main(args, standaloneRuntime());
  leaveSoon();
}

/** What differs for a program without a package: it cannot look into one, and npm cannot update it. */
function standaloneRuntime(): Runtime {
  const own: Partial<Runtime> = {
    program: "authz",
    version: () => AUTHZ_VERSION,
    newVersionsAt: "https://github.com/authz/authz/releases",
    startUpdateCheck: () => {
      const options = { detached: true, stdio: "ignore", windowsHide: true } as const;
      const child = spawn(process.execPath, [checkUpdateArgument], options);
      child.on("error", () => undefined);
      child.unref();
    },
  };
  // A copy would open every stream.
  return Object.create(nodeRuntime(), Object.getOwnPropertyDescriptors(own)) as Runtime;
}
