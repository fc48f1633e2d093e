import { Buffer } from "node:buffer";
import type { AuthzOptions, FixedSkills, LoadedSkills } from "@authz/verify";
import type { ContractApp } from "@authz/contract-tests";

/** The application of the contract tests for another process: what can be written as JSON, and where the rest is. */
export interface ServiceDescription {
  /** Where the process of the tests answers for the issuer and the replay store, and hears of entered handlers. */
  readonly bridge: string;
  readonly issuer: string;
  /** Without its functions. */
  readonly options: AuthzOptions;
  readonly bodyParsers: boolean;
  readonly guardEverything: boolean;
}

/** Writes down an application for another process, which asks at `bridge` for the rest. */
export async function writeDescription(contract: ContractApp, bridge: string): Promise<string> {
  const { issuer, options, bodyParsers, guardEverything } = contract;
  const { skills } = options;
  const description: ServiceDescription = {
    bridge,
    issuer,
    options: skills && "load" in skills ? { ...options, skills: await readSkills(skills) } : options,
    bodyParsers,
    guardEverything,
  };
  return JSON.stringify(description, (_name, value: unknown) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value,
  );
}

/** Reads what `writeDescription` wrote. */
export function readDescription(text: string): ServiceDescription {
  return JSON.parse(text, (_name, value: { readonly base64?: string } | null) =>
    typeof value?.base64 === "string" ? new Uint8Array(Buffer.from(value.base64, "base64")) : value,
  ) as ServiceDescription;
}

/** Skills that are read anew for every catalog, as they are now. */
async function readSkills({ load, ...rest }: LoadedSkills): Promise<FixedSkills> {
  return { ...rest, items: await load() };
}
