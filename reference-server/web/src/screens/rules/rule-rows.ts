import type { Resource } from "@admin/resources";

export type CallRule = Resource["rules"][number];

export const actions = ["allow", "ask", "refuse", "limit"] as const;
export const methods: readonly NonNullable<CallRule["methods"]>[number][] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
];

/** A rule as a row of the form: texts, which may be empty. */
export interface RuleRow {
  readonly methods: readonly (typeof methods)[number][];
  readonly path: string;
  readonly when: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly action: (typeof actions)[number];
  /** Of `ask`, and of a limit that asks beyond. */
  readonly approver: string;
  /** Of `refuse`, and of a limit that refuses beyond. */
  readonly sentence: string;
  readonly calls: string;
  readonly per: "hour" | "day";
  readonly beyond: "ask" | "refuse";
  readonly say: string;
}

/** The list as a form has it; `none`: there are no rules. */
export interface RulesValues {
  readonly rules: readonly RuleRow[];
  readonly otherwise: "none" | "allow" | "ask" | "refuse";
  /** Of the default, separated by spaces. */
  readonly otherwiseScopes: string;
}

export const emptyRule: RuleRow = {
  methods: [],
  path: "",
  when: "",
  scopes: "",
  action: "ask",
  approver: "self",
  sentence: "",
  calls: "",
  per: "day",
  beyond: "ask",
  say: "",
};

/** The rules that are stored, for the form. */
export function toRulesValues({ rules }: { readonly rules: readonly CallRule[] }): RulesValues {
  const last = rules.at(-1);
  return {
    rules: rules.filter((rule) => rule.default === undefined).map(toRow),
    otherwise: last?.default ?? "none",
    otherwiseScopes: last?.default === undefined ? "" : (last.scopes ?? []).join(" "),
  };
}

function toRow(rule: CallRule): RuleRow {
  const { limit, ask, refuse, allow } = rule;
  const action =
    limit !== undefined ? "limit" : allow === true ? "allow" : refuse !== undefined ? "refuse" : "ask";
  return {
    methods: rule.methods ?? [],
    path: rule.path ?? "",
    when: rule.when ?? "",
    scopes: (rule.scopes ?? []).join(" "),
    action,
    approver: ask ?? "self",
    sentence: refuse ?? "",
    calls: limit === undefined ? "" : String(limit.calls),
    per: limit?.per ?? "day",
    beyond: rule.beyond ?? "ask",
    say: rule.say ?? "",
  };
}

/** What is sent: texts that are empty mean nothing. The server says what is wrong with the rest. */
export function fromRulesValues({ rules, otherwise, otherwiseScopes }: RulesValues): readonly object[] {
  if (otherwise === "none" && rules.length === 0) return [];
  const last = otherwise === "none" ? [] : [{ default: otherwise, ...scopesOf(otherwiseScopes) }];
  return [...rules.map(fromRow), ...last];
}

function fromRow(row: RuleRow): object {
  return {
    ...(row.methods.length > 0 && { methods: row.methods }),
    ...textOf("path", row.path),
    ...textOf("when", row.when),
    ...scopesOf(row.scopes),
    ...actionOf(row),
    ...textOf("say", row.say),
  };
}

function actionOf({ action, approver, sentence, calls, per, beyond }: RuleRow): object {
  if (action === "allow") return { allow: true };
  if (action === "ask") return { ask: approver.trim() };
  if (action === "refuse") return { refuse: sentence };
  const otherwise = beyond === "ask" ? { ask: approver.trim() } : textOf("refuse", sentence);
  return { limit: { calls: Number(calls), per }, beyond, ...otherwise };
}

function scopesOf(text: string): object {
  const scopes = text.split(/\s+/).filter((scope) => scope !== "");
  return scopes.length > 0 ? { scopes } : {};
}

function textOf(name: string, text: string): object {
  return text.trim() === "" ? {} : { [name]: text.trim() };
}
