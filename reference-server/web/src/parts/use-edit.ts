import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { ApiError } from "../api/api-error";
import type { Impact } from "../api/queries";
import { useGuard } from "../address/place";
import { useText } from "../text/text";
import { useDescribeError } from "./describe-error";
import { type EditState, followReading, isDirty, settle } from "./edit-state";
import { fieldSentence } from "./field-sentence";
import { toast } from "./toasts";

export interface EditOptions<Values extends object, Stored> {
  /** What the form starts with: what was read last, or what something new begins as. */
  readonly initial: Values;
  /** The version that was read last; leave it out when something is created. */
  readonly version?: number;
  /** Sends the values and returns the answer. `version` is for `If-Match`; with `preview` add `?preview=true`. */
  readonly send: (values: Values, options: SendOptions) => Promise<unknown>;
  /**
   * Whether `send` understands `preview`; then the impact is shown before saving, also when there is none. `"beside"`: in the form, as
   * soon as it is complete, so that nothing has to be confirmed that was read already.
   */
  readonly previews?: boolean | "beside";
  /** Saving the values before again leaves nothing behind: no secret, nobody's access, nothing that was sent elsewhere. */
  readonly undoable?: boolean;
  /** Turns an object, as a conflict brings it along and `send` returns it, into the form's values. */
  readonly toValues?: (stored: Stored) => Values;
  /** Called when everything is stored, with what `send` returned. */
  readonly onSaved: (result: unknown) => void | Promise<void>;
}

interface SendOptions {
  readonly version: number | undefined;
  readonly preview: boolean;
}

interface Conflict<Values> {
  readonly stored: Values;
  readonly mine: Values;
  readonly version: number;
}

/** A form in progress. Give it to `<EditForm>`; bind fields with `{...form.field("name")}`. */
export interface Edit<Values extends object, Stored = never> {
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
  /** What saving would change, as it stands in the form; `undefined` where that is asked when saving. */
  readonly beside: { readonly impact: Impact | undefined } | undefined;
  readonly conflict: Conflict<Values> | undefined;
  /** `changes` are made on the way; what stands in the form has to speak of them as well. */
  readonly submit: (changes?: Partial<Values>) => Promise<void>;
  readonly confirm: () => Promise<void>;
  readonly keepMine: () => Promise<void>;
  readonly takeTheirs: () => void;
  /** Takes in what the server has after a change beside the form, without touching what is typed. */
  readonly changedBeside: (stored: Stored) => void;
  readonly dismiss: () => void;
}

interface FieldBinding<Value> {
  readonly name: string;
  readonly value: Value;
  readonly onChange: (next: Value | { readonly currentTarget: { readonly value: string } } | null) => void;
  readonly error: string | undefined;
}

/**
 * The state of a form: values, the server's verdict on each field, impact before saving, and conflicts.
 *
 * What is typed is never lost to what is read: a form that somebody has touched keeps its text and its version when a
 * newer version is read, and after saving it keeps what was typed meanwhile. While something is created, nothing can be
 * typed, because its form closes. Mount the form anew for another object, with `key={id}`, and for nothing else.
 */
export function useEdit<Values extends object, Stored extends { readonly version: number }>(
  options: EditOptions<Values, Stored>,
): Edit<Values, Stored> {
  const t = useText();
  const describe = useDescribeError();
  const { initial, version: read } = options;
  const [kept, setState] = useState<EditState<Values>>({ stored: initial, version: read, values: initial });
  const state = read === undefined ? kept : followReading(kept, { values: initial, version: read });
  if (state !== kept) setState(state);
  const { values, version } = state;
  const [errors, setErrors] = useState<ApiError["fields"]>([]);
  const [problem, setProblem] = useState<string>();
  const [asked, setAsked] = useState<{ readonly impact: Impact; readonly values: Values }>();
  const [conflict, setConflict] = useState<Omit<Conflict<Values>, "mine">>();
  const [saving, setSaving] = useState(false);
  const busy = useRef(false);
  const leaving = useRef(false);
  const dirty = isDirty(state);
  const shown = useImpactBeside({ ...options, values, version, wanted: dirty || read === undefined });

  const type = (changes: Partial<Values>) => {
    if (busy.current && read === undefined) return;
    setState((now) => ({ ...now, values: { ...now.values, ...changes } }));
  };

  useGuard({
    mayLeave: () => !dirty || leaving.current || confirm(t("parts.leave")),
    holds: () => dirty && !leaving.current,
  });

  const attempt = async (work: () => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
    setSaving(true);
    setProblem(undefined);
    setErrors([]);
    setAsked(undefined);
    setConflict(undefined);
    try {
      await work();
    } catch (error) {
      refuse(error);
    } finally {
      busy.current = false;
      setSaving(false);
    }
  };

  const refuse = (error: unknown) => {
    const stored = error instanceof ApiError ? (error.current as Stored | undefined) : undefined;
    if (error instanceof ApiError && error.status === 412 && stored && options.toValues) {
      setConflict({ stored: options.toValues(stored), version: stored.version });
      return;
    }
    const fields = error instanceof ApiError ? error.fields : [];
    setErrors(fields);
    setProblem(fields.length > 0 ? t("parts.errors.fields", { count: fields.length }) : describe(error));
  };

  const takeIn = (sent: Values, stored: Stored) => {
    if (options.toValues === undefined) return;
    const reading = { values: options.toValues(stored), version: stored.version };
    setState((now) => settle(now, sent, reading));
  };

  const save = async (sent: Values, at: number | undefined) => {
    const before = state.stored;
    const result = await options.send(sent, { version: at, preview: false });
    if (options.undoable && read !== undefined) {
      const { version: saved } = result as Stored;
      const run = async () => {
        const again = await options.send(before, { version: saved, preview: false });
        takeIn(sent, again as Stored);
        await options.onSaved(again);
      };
      toast(t("parts.saved"), { run, done: t("parts.savedBack") });
    } else {
      toast(t("parts.saved"));
    }
    if (read !== undefined) {
      takeIn(sent, result as Stored);
      await options.onSaved(result);
      return;
    }
    leaving.current = true;
    try {
      await options.onSaved(result);
      setState((now) => ({ ...now, stored: sent }));
    } finally {
      leaving.current = false;
    }
  };

  const submit = (at: number | undefined, changes: Partial<Values> = {}) =>
    attempt(async () => {
      const wanted = { ...values, ...changes };
      if (options.previews && !shown.isCurrent) {
        const answer = (await options.send(wanted, { version: at, preview: true })) as { impact: Impact };
        // The impact beside the form may be of the values before the last keystroke; only a different one needs a confirmation.
        if (JSON.stringify(answer.impact) !== JSON.stringify(shown.impact)) {
          setAsked({ impact: answer.impact, values: wanted });
          return;
        }
      }
      await save(wanted, at);
    });

  const errorOf = (path: string) => {
    const found = errors.find((one) => one.path === path || one.path.startsWith(`${path}.`));
    return found && fieldSentence(found.message);
  };

  return {
    values,
    set: type,
    field: (name) => ({
      name,
      value: values[name],
      onChange: (next) => {
        const value =
          typeof next === "object" && next !== null && "currentTarget" in next
            ? next.currentTarget.value
            : next;
        type({ [name]: value } as Partial<Values>);
        setErrors((before) => before.filter(({ path }) => path !== name && !path.startsWith(`${name}.`)));
      },
      error: errorOf(name),
    }),
    errorOf,
    problem,
    dirty,
    saving,
    impact: asked?.impact,
    beside: options.previews === "beside" ? { impact: shown.impact } : undefined,
    conflict: conflict && { ...conflict, mine: values },
    submit: (changes) => submit(version, changes),
    confirm: () => attempt(() => save(asked?.values ?? values, version)),
    keepMine: async () => {
      if (conflict === undefined) return;
      setState((now) => ({ ...now, ...conflict }));
      await submit(conflict.version);
    },
    takeTheirs: () => {
      if (conflict === undefined) return;
      setState({ ...conflict, values: conflict.stored });
      setConflict(undefined);
    },
    changedBeside: (stored) => takeIn(state.stored, stored),
    dismiss: () => {
      setAsked(undefined);
      setConflict(undefined);
    },
  };
}

/** Longer than the pause between two keys. */
const settledMs = 400;

/** What saving would change, asked whenever typing pauses. A form that is not complete has no answer, and says nothing of that. */
function useImpactBeside<Values>({
  previews,
  send,
  values,
  version,
  wanted,
}: {
  readonly previews?: boolean | "beside";
  readonly send: (values: Values, options: SendOptions) => Promise<unknown>;
  readonly values: Values;
  readonly version: number | undefined;
  readonly wanted: boolean;
}): { readonly impact: Impact | undefined; readonly isCurrent: boolean } {
  const id = useId();
  const [settled] = useDebouncedValue(values, settledMs);
  const { data, isSuccess, isFetching } = useQuery({
    queryKey: ["impact", id, settled, version],
    queryFn: async () => ((await send(settled, { version, preview: true })) as { impact: Impact }).impact,
    enabled: previews === "beside" && wanted,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return { impact: data, isCurrent: isSuccess && !isFetching && settled === values };
}
