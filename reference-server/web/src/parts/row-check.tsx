import { type Ref, useEffect, useRef } from "react";

interface RowCheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly ref?: Ref<HTMLInputElement>;
}

/** A native checkbox, because there may be thousands of rows. */
export function RowCheck({ label, checked, onChange, ref }: RowCheckProps) {
  return (
    <input
      ref={ref}
      type="checkbox"
      className="row-check"
      aria-label={label}
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

/** The checkbox in the head of a table; has a mixed state as well. */
export function HeadCheck({
  some,
  ...rest
}: Omit<RowCheckProps, "ref"> & {
  readonly some: boolean;
}) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = some;
  }, [some]);
  return <RowCheck ref={box} {...rest} />;
}
