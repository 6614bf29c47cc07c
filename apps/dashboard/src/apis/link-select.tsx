import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { linksQuery } from '../api/links-query';
import { faultOf } from '../api/refusal';

interface LinkSelectProps {
  readonly value: string | null;
  /** Of the request that sent it. */
  readonly error: unknown;
  readonly onChange: (id: string | null) => void;
}

/** The link of an API. */
export function LinkSelect({ value, error, onChange }: LinkSelectProps) {
  const { data = [] } = useQuery(linksQuery);
  const known = data.map(({ id, Name }) => ({ value: id, label: Name }));
  const isKnown = value === null || data.some(({ id }) => id === value);
  return (
    <Select
      label="Integration"
      description="New layers of its operations begin with it; the document is fetched with it where it is at the same place."
      placeholder="None"
      clearable
      searchable
      clearButtonProps={{ 'aria-label': 'No integration' }}
      data={isKnown ? known : [...known, { value, label: value }]}
      value={value}
      error={faultOf(error, 'integrationId')}
      onChange={onChange}
    />
  );
}
