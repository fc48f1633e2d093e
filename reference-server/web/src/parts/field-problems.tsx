import { hasText, useText } from "../text/text";
import { fieldSentence } from "./field-sentence";
import type { Action } from "./use-action";

/** A refused action outside of its form: the problem of each field, or the refusal in words. */
export function Refusal(props: {
  readonly of: Pick<Action, "fields" | "problem">;
  /** Introduces the fields. */
  readonly lead: string;
  readonly labels: string;
}) {
  const { fields, problem } = props.of;
  const labelOf = useFieldLabel(props.labels);
  if (problem === undefined) return undefined;
  if (fields.length === 0) return <p className="problem">{problem}</p>;
  return (
    <div>
      <p className="problem">{props.lead}</p>
      <ul className="plain-list">
        {fields.map(({ path, message }) => (
          <li key={path}>
            <strong>{labelOf(path)}:</strong> {fieldSentence(message)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/**
 * Returns a function that names a field, or the field that a path begins with.
 *
 * @param labels - where the catalogue has the labels: `connectors.fields`
 */
export function useFieldLabel(labels: string): (path: string) => string {
  const t = useText();
  return (path) => {
    const key = `${labels}.${path.split(".")[0]}`;
    return hasText(key) ? t(key) : path;
  };
}
