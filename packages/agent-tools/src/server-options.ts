import type { AgentCalls } from "./agent-calls.js";

/** Who serves the tools. */
export interface ServerOptions {
  version: string;
  /** Opens the session. It may be missing: the first call says what to do, which an agent can pass on. */
  open: () => Promise<AgentCalls>;
  /** What went wrong and what to do next, for a model; undefined for a failure nobody foresaw. */
  describe: (error: unknown) => string | undefined;
}
