import type { ReactNode } from "react";
import "./lists.css";

export interface RecordRow {
  readonly id: string;
  readonly title: ReactNode;
  /** Below the title. */
  readonly detail?: ReactNode;
  readonly action?: ReactNode;
}

/** A short list inside a page: title, detail, one action. */
export function RecordRows({ rows }: { readonly rows: readonly RecordRow[] }) {
  return (
    <ul className="record-rows">
      {rows.map(({ id, title, detail, action }) => (
        <li key={id}>
          <div>
            <div className="record-title">{title}</div>
            {detail !== undefined && <div className="muted">{detail}</div>}
          </div>
          {action}
        </li>
      ))}
    </ul>
  );
}
