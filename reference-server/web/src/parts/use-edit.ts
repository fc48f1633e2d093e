import { useBlocker } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { ApiError } from "../api/api-error";
import type { Impact } from "../api/queries";
import { useMessages } from "../messages/language";
import { partsMessages } from "../messages/parts";
import { useDescribeError } from "./describe-error";
import { useFieldMessage } from "./field-message";
import { hasImpact } from "./impact-preview";
import { toast } from "./toasts";

export interface EditOptions<Values extends object, Stored> {
  /** What the form starts with. */
  readonly initial: Values;
  /** The version that was read; leave it out when something is created. */
  readonly version?: number;
  /** Sends the values. `version` is for `If-Match`; with `preview` add `?preview=true` and return its answer. */
  readonly send: (values: Values, options: SendOptions) => Promise<unknown>;
  /** Whether `send` understands `preview`; then the impact is shown before saving, if there is any. */
  readonly previews?: boolean;
  /** Turns the object that a conflict brings along into the form's values. */
  readonly toValues?: (stored: Stored) => Values;
  /** Called when everything is stored, with what `send` returned. */
  readonly onSaved: (result: unknown) => void | Promise<void>;
}

export interface SendOptions {
  readonly version: number | undefined;
  readonly preview: boolean;
}

export interface Conflict<Values> {
  readonly stored: Values;
  readonly mine: Values;
  readonly version: number;
}

/** A form in progress. Give it to `<EditForm>`; bind fields with `{...form.field("name")}`. */
export interface Edit<Values extends object> {
  readonly values: Values;
  readonly set: (changes: Partial<Values>) => void;
  /** Value, change handler and problem of a field of text, for Mantine inputs. */
  readonly field: <Name extends keyof Values & string>(name: Name) => FieldBinding<Values[Name]>;
  /** What the server said about a field, and about everything below it. */
  readonly errorOf: (path: string) => string | undefined;
  /** What is wrong with no field in particular. */
  readonly problem: string | undefined;
  readonly dirty: boolean;
  readonly saving: boolean;
  /** What saving would change; waits for `confirm` or `dismiss`. */
  readonly impact: Impact | undefined;
  readonly conflict: Conflict<Values> | undefined;
  readonly submit: () => Promise<void>;
  readonly confirm: () => Promise<void>;
  readonly keepMine: () => Promise<void>;
  readonly takeTheirs: () => void;
  readonly dismiss: () => void;
}

interface FieldBinding<Value> {
  readonly name: string;
  readonly value: Value;
  readonly onChange: (next: Value | { readonly currentTarget: { readonly value: string } } | null) => void;
  readonly error: string | undefined;
}

/** The state of a form: values, the server's verdict on each field, impact before saving, and conflicts. */
export function useEdit<Values extends object, Stored extends { readonly version: number }>(
  options: EditOptions<Values, Stored>,
): Edit<Values> {
  const t = useMessages(partsMessages);
  const describe = useDescribeError();
  const inWords = useFieldMessage();
  const [initial, setInitial] = useState(options.initial);
  const [values, setValues] = useState(options.initial);
  const [version, setVersion] = useState(options.version);
  const [errors, setErrors] = useState<ApiError["fields"]>([]);
  const [problem, setProblem] = useState<string>();
  const [impact, setImpact] = useState<Impact>();
  const [conflict, setConflict] = useState<Conflict<Values>>();
  const [saving, setSaving] = useState(false);
  const leaving = useRef(false);
  const dirty = JSON.stringify(values) !== JSON.stringify(initial);

  useBlocker({
    shouldBlockFn: () => dirty && !leaving.current && !confirm(t.leave),
    enableBeforeUnload: () => dirty && !leaving.current,
  });

  const attempt = async (work: () => Promise<void>) => {
    setSaving(true);
    setProblem(undefined);
    setErrors([]);
    setImpact(undefined);
    setConflict(undefined);
    try {
      await work();
    } catch (error) {
      refuse(error);
    } finally {
      setSaving(false);
    }
  };

  const refuse = (error: unknown) => {
    const stored = error instanceof ApiError ? (error.current as Stored | undefined) : undefined;
    if (error instanceof ApiError && error.status === 412 && stored && options.toValues) {
      setConflict({ stored: options.toValues(stored), mine: values, version: stored.version });
      return;
    }
    const fields = error instanceof ApiError ? error.fields : [];
    setErrors(fields);
    setProblem(fields.length > 0 ? t.errors.fields(fields.length) : describe(error));
  };

  const save = async (at: number | undefined) => {
    const result = await options.send(values, { version: at, preview: false });
    leaving.current = true;
    toast(t.saved);
    await options.onSaved(result);
    setInitial(values);
    leaving.current = false;
  };

  const submit = (at: number | undefined) =>
    attempt(async () => {
      if (options.previews) {
        const answer = (await options.send(values, { version: at, preview: true })) as { impact: Impact };
        if (hasImpact(answer.impact)) {
          setImpact(answer.impact);
          return;
        }
      }
      await save(at);
    });

  const errorOf = (path: string) => {
    const found = errors.find((one) => one.path === path || one.path.startsWith(`${path}.`));
    return found && inWords(found.message);
  };

  return {
    values,
    set: (changes) => setValues((before) => ({ ...before, ...changes })),
    field: (name) => ({
      name,
      value: values[name],
      onChange: (next) => {
        const value =
          typeof next === "object" && next !== null && "currentTarget" in next
            ? next.currentTarget.value
            : next;
        setValues((before) => ({ ...before, [name]: value }));
        setErrors((before) => before.filter(({ path }) => path !== name && !path.startsWith(`${name}.`)));
      },
      error: errorOf(name),
    }),
    errorOf,
    problem,
    dirty,
    saving,
    impact,
    conflict,
    submit: () => submit(version),
    confirm: () => attempt(() => save(version)),
    keepMine: async () => {
      setVersion(conflict?.version);
      await submit(conflict?.version);
    },
    takeTheirs: () => {
      if (conflict === undefined) return;
      setVersion(conflict.version);
      setValues(conflict.stored);
      setInitial(conflict.stored);
      setConflict(undefined);
    },
    dismiss: () => {
      setImpact(undefined);
      setConflict(undefined);
    },
  };
}
