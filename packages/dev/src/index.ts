import { createDevProgram } from "./program.js";

export { createDevProgram } from "./program.js";
export { type RegisterOptions, type Registration, registerService } from "./register/register-service.js";

/** The `authz-dev` command. */
export async function runDevCommand(argv: readonly string[]): Promise<void> {
  await createDevProgram().parseAsync([...argv]);
}
