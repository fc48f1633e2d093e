import { type Ref, useEffect, useRef } from "react";

interface RowCheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly ref?: Ref<HTMLInputElement>;
}

/** The browser's own box: there is one in each of thousands of rows. */
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

/** The box above the others, which says as well that some of them are checked. */
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
