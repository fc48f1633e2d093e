import type { Skill } from "@authz/koa";

/** The scopes of this service. */
export const scopes = ["contracts:read", "contracts:write"];

/** One contract as the API shows it. */
export interface Contract {
  id: string;
  customer: string;
  status: "draft" | "active" | "ended";
}

/** A stand-in for a database. */
export function createContracts(): { all(): readonly Contract[]; add(customer: string): Contract } {
  const contracts: Contract[] = [
    { id: "C-1001", customer: "Northwind Traders", status: "active" },
    { id: "C-1002", customer: "Contoso Logistics", status: "draft" },
    { id: "C-1003", customer: "Fabrikam Robotics", status: "ended" },
  ];
  return {
    all: () => contracts,
    add(customer) {
      const contract: Contract = { id: `C-${1001 + contracts.length}`, customer, status: "draft" };
      contracts.push(contract);
      return contract;
    },
  };
}

/** The customer named in a request body, or undefined when the body is anything else. */
export function parseCustomer(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("customer" in body)) return undefined;
  const { customer } = body;
  return typeof customer === "string" && customer !== "" && customer.length <= 200 ? customer : undefined;
}

/** The answer to a body without a customer. */
export const customerMissing = {
  error: "invalid_request",
  error_description: 'Send JSON with a customer of 1 to 200 characters: { "customer": "Acme" }.',
};

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
