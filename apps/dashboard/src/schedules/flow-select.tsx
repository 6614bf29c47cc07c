import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { flowNamesQuery } from '../flows/flow-names';

interface FlowSelectProps {
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
  readonly error?: string | undefined;
  readonly label?: string;
  readonly description?: string;
  /** None may be chosen, too. */
  readonly isOptional?: boolean;
  /** A flow that cannot be chosen. */
  readonly except?: string;
}

export function FlowSelect({
  value,
  onChange,
  error,
  label = 'Flow',
  description,
  isOptional = false,
  except,
}: FlowSelectProps) {
  const { data: names } = useQuery(flowNamesQuery);
  return (
    <Select
      label={label}
      description={description}
      required={!isOptional}
      clearable={isOptional}
      searchable
      placeholder={isOptional ? 'None' : 'Choose one'}
      data={[...(names ?? [])].flatMap(([id, name]) => (id === except ? [] : [{ value: id, label: name }]))}
      value={value}
      error={error}
      onChange={onChange}
    />
  );
}
