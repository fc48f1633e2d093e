import {
  type AutocompleteProps,
  type MultiSelectProps,
  Pill,
  PillsInput,
  type SelectProps,
  type TagsInputProps,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import { useCallback, useState, useSyncExternalStore } from "react";
import { Icon } from "./icon";

type Fields = typeof import("./suggesting-fields");

let fields: Fields | undefined;
let loading: Promise<void> | undefined;
const listeners = new Set<() => void>();

/**
 * Loads what these fields suggest with: a third of what a screen with a form would weigh, which nobody needs before they
 * are in a field. Until then each is drawn as it will look; the first touch loads it, and so does the shell at leisure.
 */
export function loadFields(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  try {
    fields = await import("./suggesting-fields");
    for (const listener of listeners) listener();
  } catch {
    // The next touch tries again.
    loading = undefined;
  }
}

/** One of several values. */
export function Select(props: SelectProps) {
  const { loaded, touch, touched } = useFields();
  if (loaded) return <loaded.Select {...props} {...touched} />;
  const { data = [], value } = props;
  const chosen = data.flatMap((item) => (typeof item === "object" && "value" in item ? [item] : []));
  const text = chosen.find((item) => item.value === value)?.label ?? value ?? "";
  return (
    <TextInput {...frameOf(props)} {...touch} readOnly value={text} rightSection={<Icon name="choose" />} />
  );
}

/** Any text, with suggestions. */
export function Autocomplete(props: AutocompleteProps) {
  const { loaded, touch, touched } = useFields();
  if (loaded) return <loaded.Autocomplete {...props} {...touched} />;
  return (
    <TextInput
      {...frameOf(props)}
      {...touch}
      value={props.value ?? ""}
      onChange={(event) => props.onChange?.(event.currentTarget.value)}
    />
  );
}

/** Several of several values. */
export function MultiSelect(props: MultiSelectProps) {
  const { loaded, touch, touched } = useFields();
  if (loaded) return <loaded.MultiSelect {...props} {...touched} />;
  const labels = new Map(
    (props.data ?? []).flatMap((item) =>
      typeof item === "object" && "value" in item ? [[item.value, item.label]] : [],
    ),
  );
  return (
    <Pills props={props} touch={touch} pills={props.value?.map((value) => labels.get(value) ?? value)} />
  );
}

/** Several texts, with suggestions. */
export function TagsInput(props: TagsInputProps) {
  const { loaded, touch, touched } = useFields();
  if (loaded) return <loaded.TagsInput {...props} {...touched} />;
  return <Pills props={props} touch={touch} pills={props.value} />;
}

/** What makes a field look as it will. */
const frame = [
  "label",
  "description",
  "error",
  "placeholder",
  "disabled",
  "className",
  "autoFocus",
  "aria-label",
] as const;
type FrameProps = Pick<TextInputProps, (typeof frame)[number]>;

type Touch = ReturnType<typeof useFields>["touch"];

/** The fields, when they are there, with what somebody has done meanwhile to what stood in their place. */
function useFields() {
  const loaded = useSyncExternalStore(subscribe, () => fields);
  const [was, setWas] = useState<"focused" | "clicked">();
  const touch = {
    onPointerEnter: () => void loadFields(),
    onFocus: () => {
      setWas((before) => before ?? "focused");
      void loadFields();
    },
    onBlur: () => setWas(undefined),
    onClick: () => setWas("clicked"),
  };
  // A function that stays the same, or the field would be given the focus each time it is drawn.
  const ref = useCallback((input: HTMLInputElement | null) => {
    if (input === null) return;
    input.focus();
    input.setSelectionRange(input.value.length, input.value.length);
  }, []);
  const touched = was === undefined ? {} : { ref, ...(was === "clicked" && { defaultDropdownOpened: true }) };
  return { loaded, touch, touched };
}

function Pills(props: {
  readonly props: FrameProps;
  readonly touch: Touch;
  readonly pills: readonly string[] | undefined;
}) {
  const { placeholder, autoFocus = false, "aria-label": label, ...rest } = frameOf(props.props);
  return (
    <PillsInput {...rest}>
      <Pill.Group>
        {props.pills?.map((pill) => (
          <Pill key={pill}>{pill}</Pill>
        ))}
        <PillsInput.Field
          {...props.touch}
          readOnly
          placeholder={placeholder}
          autoFocus={autoFocus}
          aria-label={label}
        />
      </Pill.Group>
    </PillsInput>
  );
}

function frameOf(props: FrameProps): FrameProps {
  return Object.fromEntries(
    frame.flatMap((name) => (props[name] === undefined ? [] : [[name, props[name]] as const])),
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
