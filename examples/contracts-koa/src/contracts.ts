import type { ApprovalNeed, Skill } from "@authz/koa";

/** The scopes of this service. */
export const scopes = ["contracts:read", "contracts:write"];

/** One contract as the API shows it. */
export interface Contract {
  id: string;
  customer: string;
  status: "draft" | "active" | "ended";
}

/** A stand-in for a database. */
export interface Contracts {
  all(): readonly Contract[];
  find(id: string | undefined): Contract | undefined;
  add(customer: string): Contract;
  remove(id: string | undefined): boolean;
}

/** Three contracts to begin with. */
export function createContracts(): Contracts {
  let last = 1003;
  let contracts: Contract[] = [
    { id: "C-1001", customer: "Northwind Traders", status: "active" },
    { id: "C-1002", customer: "Contoso Logistics", status: "draft" },
    { id: "C-1003", customer: "Fabrikam Robotics", status: "ended" },
  ];
  return {
    all: () => contracts,
    find: (id) => contracts.find((contract) => contract.id === id),
    add(customer) {
      last += 1;
      const contract: Contract = { id: `C-${last}`, customer, status: "draft" };
      contracts.push(contract);
      return contract;
    },
    remove(id) {
      const before = contracts.length;
      contracts = contracts.filter((contract) => contract.id !== id);
      return contracts.length < before;
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

/** What a person has to approve before a contract is deleted; nothing when there is none. */
export function deletionOf(contract: Contract | undefined): ApprovalNeed {
  return (
    contract && {
      type: "contract_deletion",
      actions: ["delete"],
      contract: { ...contract },
      reason: "Contracts cannot be restored.",
    }
  );
}

/** The answer when there is no such contract. */
export const contractMissing = { error: "not_found", error_description: "There is no such contract." };

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
