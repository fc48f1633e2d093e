import type { FieldProblem } from "../api/api-error";
import { hasText, useText } from "../text/text";
import { fieldSentence } from "./field-sentence";

/** What is wrong with which field, where the fields themselves are somewhere else. */
export function FieldProblems(props: {
  readonly lead: string;
  readonly fields: readonly FieldProblem[];
  readonly labels: string;
}) {
  const { lead, fields } = props;
  const labelOf = useFieldLabel(props.labels);
  return (
    <div>
      <p className="problem">{lead}</p>
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
 * Returns a function that says what a field, or the field that a path begins with, is called.
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
