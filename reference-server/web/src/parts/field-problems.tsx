import type { FieldProblem } from "../api/api-error";
import { fieldSentence } from "./field-sentence";

/** What is wrong with which field, where the fields themselves are somewhere else. */
export function FieldProblems(props: {
  readonly lead: string;
  readonly fields: readonly FieldProblem[];
  readonly labels: Readonly<Record<string, string>>;
}) {
  const { lead, fields, labels } = props;
  return (
    <div>
      <p className="problem">{lead}</p>
      <ul className="plain-list">
        {fields.map(({ path, message }) => (
          <li key={path}>
            <strong>{labels[path.split(".")[0] ?? path] ?? path}:</strong> {fieldSentence(message)}
          </li>
        ))}
      </ul>
    </div>
  );
}
