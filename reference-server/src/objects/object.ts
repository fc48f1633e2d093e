import { z } from "zod";

/** What the rules of an object depend on. */
export interface RuleOptions {
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
  /** This server's own origin, where neither a service nor a third party is. */
  readonly issuer: string;
}

/** For what follows from the members of an object and not from their rules: columns and answers. */
export const anyRules: RuleOptions = { allowInsecureLoopback: false, issuer: "https://authz.invalid" };

const meanings = z.registry<{ readonly meaning: string }>();

/** A member with what it means in an answer. */
export function means<Rule extends z.ZodType>(rule: Rule, meaning: string): Rule {
  const own = rule.clone();
  meanings.add(own, { meaning });
  return own;
}

type Rules = Readonly<Record<string, z.ZodType>>;
type WithoutDefault<Rule> = Rule extends z.ZodDefault<infer Inner> ? Inner : Rule;

/** A value as it is stored: nothing changes it in place. */
export type Stored<Value> = Value extends Date | Uint8Array
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]: Stored<Value[Name]> }
    : Value;

/** An object as it is stored, from the schema that callers write. */
export type StoredObject<Schema extends z.ZodType> = Stored<z.output<Schema>>;

/** What answers show of the members that callers write: their types and meanings, without the rules. */
export function shownMembers<Members extends Rules>(
  written: z.ZodObject<Members>,
): { readonly [Name in keyof Members]: z.ZodType<z.output<Members[Name]>> } {
  return mapMembers(written.shape, (rule) => {
    const { meaning } = meanings.get(rule) ?? {};
    const shown = withoutRules(rule);
    return meaning === undefined ? shown : shown.describe(meaning);
  });
}

/** A change: what is absent stays as it is, so nothing has a default. `fixed` members never change. */
export function changeOf<Members extends Rules, Fixed extends keyof Members & string>(
  written: z.ZodObject<Members>,
  ...fixed: readonly Fixed[]
): z.ZodObject<
  { [Name in Exclude<keyof Members, Fixed>]: z.ZodOptional<WithoutDefault<Members[Name]>> },
  z.core.$strict
> {
  const changeable = Object.entries(written.shape).filter(([name]) => !fixed.includes(name as Fixed));
  return z.strictObject(
    mapMembers(Object.fromEntries(changeable), (rule) => withoutDefault(rule).optional()),
  ) as never;
}

/** What is meant by members that are left out. */
export function defaultsOf<Members extends Rules>(
  written: z.ZodObject<Members>,
): {
  readonly [Name in keyof Members as Members[Name] extends z.ZodDefault ? Name : never]: Stored<
    z.output<Members[Name]>
  >;
} {
  const given = Object.entries(written.shape).flatMap(([name, rule]) =>
    rule instanceof z.ZodDefault ? [[name, rule.def.defaultValue]] : [],
  );
  return Object.fromEntries(given) as never;
}

/** The members that a schema names, of an object that has more. */
export function membersOf<Members extends Rules>(
  written: z.ZodObject<Members>,
  item: StoredObject<z.ZodObject<Members>>,
): StoredObject<z.ZodObject<Members>> {
  const names = Object.keys(written.shape) as (keyof typeof item)[];
  return Object.fromEntries(names.map((name) => [name, item[name]])) as never;
}

function mapMembers(members: Rules, map: (rule: z.ZodType) => z.ZodType): never {
  return Object.fromEntries(Object.entries(members).map(([name, rule]) => [name, map(rule)])) as never;
}

function withoutDefault(rule: z.ZodType): z.ZodType {
  return rule instanceof z.ZodDefault ? (rule.def.innerType as z.ZodType) : rule;
}

function withoutRules(rule: z.ZodType): z.ZodType {
  if (rule instanceof z.ZodDefault) return withoutRules(rule.def.innerType as z.ZodType);
  if (rule instanceof z.ZodExactOptional)
    return withoutRules(rule.def.innerType as z.ZodType).exactOptional();
  if (rule instanceof z.ZodNullable) return withoutRules(rule.def.innerType as z.ZodType).nullable();
  if (rule instanceof z.ZodObject) return z.strictObject(shownMembers(rule));
  if (rule instanceof z.ZodRecord) return z.record(z.string(), withoutRules(rule.def.valueType as z.ZodType));
  if (rule instanceof z.ZodNumber) return z.int();
  if (rule instanceof z.ZodArray) return z.array(withoutRules(rule.def.element as z.ZodType));
  if (rule instanceof z.ZodEnum) return z.enum(rule.def.entries);
  if (rule instanceof z.ZodLiteral) return z.literal(rule.def.values);
  if (rule instanceof z.ZodString) return z.string();
  if (rule instanceof z.ZodBoolean) return z.boolean();
  throw new TypeError(`Nothing says how answers show a member of type "${rule.def.type}".`);
}
