import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { linksQuery } from '../api/links-query';
import { faultOf } from '../api/refusal';

interface LinkSelectProps {
  readonly value: string | null;
  /** Of the request that sent it. */
  readonly error: unknown;
  readonly onChange: (id: string | null) => void;
  /** What it is for; default: to fetch a document. */
  readonly description?: string;
}

const TO_FETCH = 'Only to fetch the document, where it asks for credentials. Layers name their own.';

/** The link with which the document is fetched, or a server is called. */
export function LinkSelect({ value, error, onChange, description = TO_FETCH }: LinkSelectProps) {
  const { data = [] } = useQuery(linksQuery);
  const known = data.map(({ id, Name }) => ({ value: id, label: Name }));
  const isKnown = value === null || data.some(({ id }) => id === value);
  return (
    <Select
      label="Integration"
      description={description}
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
