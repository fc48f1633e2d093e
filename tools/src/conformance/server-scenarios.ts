/**
 * The scenarios about servers that say something about the address for agents. The others call tools, prompts and resources that the
 * suite wants a test server to have (`test_simple_text`, `test://static-text`, …), and so test the library: docs/reference/conformance.md
 * names them all.
 */
export const serverScenarios: readonly string[] = [
  "server-initialize",
  "server-stateless",
  "ping",
  "tools-list",
  "resources-list",
  "sep-2164-resource-not-found",
  "sep-2640-skills-directory",
  "sep-2640-skills-enumeration",
  "sep-2640-skills-manifest",
  "dns-rebinding-protection",
  "caching",
  "http-header-validation",
];

/** Checks of these scenarios that are about something that the address does not have, and what that is. */
export const notApplicable: Readonly<Record<string, string>> = {
  "sep-2575-server-rejects-undeclared-capability": "no tool needs a capability of its client",
  "sep-2575-missing-capability-http-400": "no tool needs a capability of its client",
  "sep-2575-http-server-no-independent-requests-on-stream": "no tool asks its client anything",
  "sep-2575-server-no-log-without-loglevel": "no tool sends log messages",
  "sep-2549-prompts-list-caching-hints": "there are no prompts",
};
