import type { ReactNode } from "react";

/** A compiled ICU message: a text, or parts with placeholders. */
export type Message = string | readonly MessagePart[];

export type MessagePart =
  | string
  | { readonly value: string }
  | { readonly number: string }
  /** The number of the plural around it: `#`. */
  | { readonly count: true }
  | { readonly plural: string; readonly forms: Forms }
  | { readonly select: string; readonly forms: Forms }
  | { readonly tag: string; readonly inside: readonly MessagePart[] };

type Forms = Readonly<Record<string, readonly MessagePart[]>>;

/** Values by name; a tag is a function of its content. */
type Values = Readonly<Record<string, ReactNode | ((inside: ReactNode[]) => ReactNode)>>;

/** Number formats of a language. Created once, because creating one takes longer than drawing a row. */
export interface Numbers {
  readonly format: Intl.NumberFormat;
  readonly plural: Intl.PluralRules;
}

/**
 * Fills values into a message. Adjacent texts are joined in the result.
 *
 * @throws {Error} A value of the message is missing or has the wrong type.
 */
export function fillIn(message: readonly MessagePart[], values: Values, numbers: Numbers): ReactNode[] {
  const nodes: ReactNode[] = [];
  const add = (part: ReactNode) => {
    const last = nodes.length - 1;
    const before = nodes[last];
    if (typeof part === "string" && typeof before === "string") nodes[last] = before + part;
    else nodes.push(part);
  };
  addParts(message, { values, numbers, add });
  return nodes;
}

interface Filling {
  readonly values: Values;
  readonly numbers: Numbers;
  readonly add: (part: ReactNode) => void;
  /** Of the plural that the parts are in. */
  readonly count?: number;
}

function addParts(parts: readonly MessagePart[], filling: Filling): void {
  const { values, numbers, add, count } = filling;
  for (const part of parts) {
    if (typeof part === "string") add(part);
    else if ("value" in part) add(toNode(find(part.value, values)));
    else if ("number" in part) add(numbers.format.format(Number(find(part.number, values))));
    else if ("count" in part) add(numbers.format.format(count ?? Number.NaN));
    else if ("plural" in part) {
      const number = Number(find(part.plural, values));
      const { forms } = part;
      addParts(pick(forms, [`=${number}`, numbers.plural.select(number)]), { ...filling, count: number });
    } else if ("select" in part) addParts(pick(part.forms, [toName(find(part.select, values))]), filling);
    else {
      const draw = find(part.tag, values);
      if (typeof draw !== "function") throw new Error(`The message needs a function for <${part.tag}>.`);
      const inside = fillInside(part.inside, filling);
      for (const node of [draw(inside)].flat()) add(node);
    }
  }
}

function fillInside(parts: readonly MessagePart[], filling: Filling): ReactNode[] {
  const inside: ReactNode[] = [];
  addParts(parts, { ...filling, add: (part) => void inside.push(part) });
  return inside;
}

function find(name: string, values: Values): Values[string] {
  if (!Object.hasOwn(values, name)) throw new Error(`The message needs a value for ${name}.`);
  return values[name];
}

/** Numbers without a format keep their plain notation; empty values become an empty text. */
function toNode(value: Values[string]): ReactNode {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return (value as ReactNode) || "";
}

function toName(value: Values[string]): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function pick(forms: Forms, names: readonly string[]): readonly MessagePart[] {
  const name = names.find((one) => Object.hasOwn(forms, one)) ?? "other";
  return forms[name] ?? [];
}
