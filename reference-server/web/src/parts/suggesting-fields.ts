export { Autocomplete, MultiSelect, Select, TagsInput } from "@mantine/core";
