/**
 * For adapters: the error when `registerRoutes()` receives something other than an application.
 *
 * @param wanted - the expected target, such as "the Express application"
 * @param remedy - the code to write, such as "authz.registerRoutes(app), with const app = express()"
 */
export function wrongTarget(
  target: unknown,
  { wanted, remedy }: { readonly wanted: string; readonly remedy: string },
): TypeError {
  return new TypeError(`registerRoutes needs ${wanted} and got ${nameOf(target)}. Write ${remedy}.`);
}

function nameOf(target: unknown): string {
  if (target === null || target === undefined) return String(target);
  if (typeof target !== "object") return `a ${typeof target}`;
  const { constructor } = target as { constructor?: { name?: unknown } };
  const name = constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? `a ${name}` : "another object";
}
