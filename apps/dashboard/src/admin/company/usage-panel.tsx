import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { bytesText } from '../../ui/bytes';
import { ErrorNotice } from '../../ui/error-notice';
import { Figures } from '../../ui/figures';
import { COMPANIES_KEY } from './company';

/** What a company did and used in the last 30 days. */
export function UsagePanel({ companyId }: { readonly companyId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...COMPANIES_KEY, companyId, 'usage'],
    queryFn: () => answerOf(api.GET('/api/v1/companies/{id}/usage', { params: { path: { id: companyId } } })),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={90} radius="md" />;
  const { total, stored, stored_plays: plays } = data;
  return (
    <Figures
      figures={[
        {
          name: 'Plays',
          value: total.plays.toLocaleString(),
          note: `${total.failed.toLocaleString()} failed, in 30 days`,
        },
        {
          name: 'Layer time',
          value: `${(total.layer_seconds / 3_600).toFixed(1)} h`,
          note: `${total.layers.toLocaleString()} layers, waits included`,
        },
        {
          name: 'Models',
          value: `$${total.model_dollars.toFixed(2)}`,
          note: `${total.model_tokens.toLocaleString()} tokens, as far as prices are known`,
        },
        {
          name: 'Stored',
          value: stored && plays ? bytesText(stored.bytes + plays.bytes) : '–',
          note:
            stored && plays ? `plays ${bytesText(plays.bytes)}, the rest files and large values` : 'not measured yet',
        },
      ]}
    />
  );
}
