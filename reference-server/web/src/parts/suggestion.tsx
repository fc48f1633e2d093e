import type { ReactNode } from "react";

/** Common properties of fields with suggestions. */
export interface FieldProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
  readonly disabled?: boolean;
}

/** One suggestion of a field. */
export function Suggestion({
  title,
  detail,
  code = false,
}: {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly code?: boolean;
}) {
  return (
    <span className="suggestion">
      {code ? <code>{title}</code> : <span>{title}</span>}
      {detail !== undefined && detail !== "" && <span className="muted">{detail}</span>}
    </span>
  );
}
