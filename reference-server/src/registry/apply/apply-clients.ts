import { ClientConflictError, registerClient } from "../clients/register-client.js";
import { RegistryError } from "./registry-error.js";
import type { RegistryFile } from "./registry-file.js";
import type { Work } from "./work.js";

/** Applies the sections `clients` and `machineClients`. @throws {RegistryError} */
export async function applyClients(
  { clients, machineClients }: Pick<RegistryFile, "clients" | "machineClients">,
  work: Work,
): Promise<void> {
  for (const registration of [...clients, ...machineClients]) {
    try {
      await registerClient(registration, work);
    } catch (error) {
      if (!(error instanceof ClientConflictError)) throw error;
      throw new RegistryError([`clients: ${error.message}`]);
    }
  }
}
