import { isVisible, parseSkills, renderSkillMarkdown, skillDigest } from "@authz/skills";

const [skill] = parseSkills([
  {
    id: "list-contracts",
    title: "List contracts",
    requiredScopes: ["contracts:read"],
    visibility: "HIDDEN_IF_UNALLOWED",
    content: "Run `authz request --scope contracts:read https://contracts.example.com/api/contracts`.",
  },
]);
if (skill === undefined) throw new Error("The catalog is empty.");

console.log(isVisible(skill, new Set(["contracts:read"]))); // true
console.log(isVisible(skill, new Set())); // false: hidden from who lacks the scope
const markdown = renderSkillMarkdown(skill);
console.log(markdown.startsWith("---\nname: list-contracts\n"), skillDigest(markdown).startsWith("sha256:")); // true true
