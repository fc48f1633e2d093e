/** Tells what is going on as `@authz/dev` does. By its path: this is needed before anything is installed. */
export { createProgress } from "../packages/dev/progress.mjs";
