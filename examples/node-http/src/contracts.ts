import type { Skill } from "@authz/verify";

/** The scopes of this service. */
export const scopes = ["contracts:read"];

/** One contract as the API shows it. */
export interface Contract {
  id: string;
  customer: string;
  status: "draft" | "active" | "ended";
}

/** A stand-in for a database. */
export const contracts: readonly Contract[] = [
  { id: "C-1001", customer: "Northwind Traders", status: "active" },
  { id: "C-1002", customer: "Contoso Logistics", status: "draft" },
  { id: "C-1003", customer: "Fabrikam Robotics", status: "ended" },
];

/** What an agent reads to learn how to call this service. Hidden from people who may not. */
export function listContractsSkill(publicOrigin: string): Skill {
  return {
    id: "list-contracts",
    title: "List contracts",
    description: "Lists the customer contracts with their status.",
    tags: ["contracts"],
    requiredScopes: ["contracts:read"],
    visibility: "HIDDEN_IF_UNALLOWED",
    content: [
      "# List contracts",
      "",
      "Run:",
      "",
      "```sh",
      `authz request --scope contracts:read ${publicOrigin}/api/contracts`,
      "```",
      "",
      "The answer is JSON. `contracts` holds one object per contract with `id`, `customer` and `status`",
      "(`draft`, `active` or `ended`). `requested_by` names the employee on whose behalf you asked.",
      "",
    ].join("\n"),
  };
}
