import { useState } from "react";
import { Denials } from "./denials";
import { RangeChoice } from "./range-choice";
import type { Range } from "./usage-query";

/** To whom one permission was refused, in a period. */
export default function DenialsSection({ scope }: { readonly scope: string }) {
  const [range, setRange] = useState<Range>("30d");
  return (
    <Denials
      range={range}
      subject={{}}
      scope={scope}
      actions={<RangeChoice range={range} onChange={setRange} />}
    />
  );
}
