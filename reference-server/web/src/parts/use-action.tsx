import { useState } from "react";
import { ApiError, type FieldProblem } from "../api/api-error";
import { useDescribeError } from "./describe-error";
import { fieldSentence } from "./field-sentence";

export interface Action {
  /**
   * Runs the work unless it fails, and keeps the error.
   *
   * @param id - of the row whose button was pressed, for lists with one button per row
   */
  readonly run: (work: () => Promise<unknown>, id?: string) => Promise<void>;
  readonly working: boolean;
  /** The row whose work runs. */
  readonly workingOn: string | undefined;
  readonly error: unknown;
  /** The error in words. */
  readonly problem: string | undefined;
  /** The refused fields. */
  readonly fields: readonly FieldProblem[];
  /** The first refused field's problem, or the error in words: for forms with a single field. */
  readonly fieldProblem: string | undefined;
  readonly reset: () => void;
}

/** Work started by a button outside of `useEdit`: whether it runs, and how it failed. */
export function useAction(): Action {
  const describe = useDescribeError();
  const [workingOn, setWorkingOn] = useState<string>();
  const [error, setError] = useState<unknown>();
  const problem = error === undefined ? undefined : describe(error);
  const fields = error instanceof ApiError ? error.fields : [];
  const [first] = fields;
  const run = async (work: () => Promise<unknown>, id = "") => {
    setWorkingOn(id);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure);
    } finally {
      setWorkingOn(undefined);
    }
  };
  return {
    run,
    working: workingOn !== undefined,
    workingOn,
    error,
    problem,
    fields,
    fieldProblem: first === undefined ? problem : fieldSentence(first.message),
    reset: () => setError(undefined),
  };
}

/** A problem in words, announced to screen readers; nothing without one. */
export function Problem({ children }: { readonly children: string | undefined }) {
  if (children === undefined) return undefined;
  return (
    <p className="problem" role="alert">
      {children}
    </p>
  );
}
