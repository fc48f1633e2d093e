import type { ServerContext } from "../context.js";

type WithContext = (work: (context: ServerContext) => Promise<void>) => Promise<void>;

/** What commands work with. */
export interface CommandHost {
  /** Opens the installation for one command, its database up to date, and closes it afterwards. */
  readonly withInstallation: WithContext;
  /** Opens the installation for reading, as it is, and closes it afterwards. */
  readonly withReader: WithContext;
  readonly print: (text: string) => void;
  readonly printLines: (lines: AsyncIterable<string>) => Promise<void>;
  readonly exitWith: (code: number) => void;
}
