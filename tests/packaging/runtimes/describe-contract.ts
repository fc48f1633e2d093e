import type { ContractApp } from "@authz/contract-tests";
import type { FixedSkills, LoadedSkills } from "@authz/verify";
import type { ServiceDescription } from "./service-description.js";

/** Describes an application for another process, which asks at `bridge` for the rest. */
export async function describeContract(contract: ContractApp, bridge: string): Promise<ServiceDescription> {
  const { issuer, options, bodyParsers, guardEverything } = contract;
  const { skills } = options;
  return {
    bridge,
    issuer,
    options: skills && "load" in skills ? { ...options, skills: await readSkills(skills) } : options,
    bodyParsers,
    guardEverything,
  };
}

/** Skills that are read anew for every catalog, as they are now. */
async function readSkills({ load, ...rest }: LoadedSkills): Promise<FixedSkills> {
  return { ...rest, items: await load() };
}
