import type { Skill } from "@authz/skills";

/** A skill that is right in every respect. */
export const skill: Skill = {
  id: "list-contracts",
  title: "List contracts",
  requiredScopes: ["contracts:read"],
  visibility: "HIDDEN_IF_UNALLOWED",
  content: "Run `authz request --scope contracts:read https://contracts.example.com/api/contracts`.\n",
  description: "Lists the contracts of a customer.",
  tags: ["contracts"],
};
