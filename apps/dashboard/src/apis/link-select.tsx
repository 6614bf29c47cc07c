import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { linksQuery } from '../api/links-query';
import { faultOf } from '../api/refusal';

interface LinkSelectProps {
  readonly value: string | null;
  /** Of the request that sent it. */
  readonly error: unknown;
  readonly onChange: (id: string | null) => void;
  /** What it is for; default: what it is for of an API. */
  readonly description?: string;
  readonly label?: string;
}

const OF_API =
  'New layers of its operations begin with it; the document is fetched with it where it is at the same place.';

/** The link of an API, or of an MCP server. */
export function LinkSelect(props: LinkSelectProps) {
  const { value, error, onChange, description = OF_API, label = 'Integration' } = props;
  const { data = [] } = useQuery(linksQuery);
  const known = data.map(({ id, Name }) => ({ value: id, label: Name }));
  const isKnown = value === null || data.some(({ id }) => id === value);
  return (
    <Select
      label={label}
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
