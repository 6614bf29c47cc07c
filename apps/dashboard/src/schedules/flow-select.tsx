import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { flowNamesQuery } from '../flows/flow-names';

interface FlowSelectProps {
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
  readonly error?: string | undefined;
}

export function FlowSelect({ value, onChange, error }: FlowSelectProps) {
  const { data: names } = useQuery(flowNamesQuery);
  return (
    <Select
      label="Flow"
      required
      searchable
      placeholder="Choose one"
      data={[...(names ?? [])].map(([id, label]) => ({ value: id, label }))}
      value={value}
      error={error}
      onChange={onChange}
    />
  );
}
