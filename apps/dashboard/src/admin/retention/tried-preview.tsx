import { useDebouncedValue } from '@mantine/hooks';
import type { components } from '@weft/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { wordsOf } from '../../ui/error-notice';
import { previewQuery, RETENTION_KEY } from './policy';
import { effectsOf } from './tried';
import classes from '../admin.module.css';

type Tried = components['schemas']['PreviewPolicyBody'];

/** After the last key: every preview counts the entries of the company. */
const PAUSE_MS = 400;

/** What the policy in a form would change, before it is saved. */
export function TriedPreview({ tried }: { readonly tried: Tried }) {
  const key = JSON.stringify(tried);
  const [settled] = useDebouncedValue(key, PAUSE_MS);
  const stored = useQuery(previewQuery);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: [...RETENTION_KEY, 'tried', settled],
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const body = JSON.parse(settled) as Tried;
      return (await answerOf(api.POST('/api/v1/admin/retention-policies/preview', { body, signal }))).items;
    },
  });
  const fault = error ?? stored.error;
  const isCounting = settled !== key || isPlaceholderData || !data || !stored.data;
  return (
    <div className={classes.token} role="status">
      {fault ? (
        `Not counted: ${wordsOf(fault)}`
      ) : isCounting ? (
        'Counting …'
      ) : (
        <Effects of={effectsOf(stored.data, data)} />
      )}
    </div>
  );
}

function Effects({ of: effects }: { readonly of: ReturnType<typeof effectsOf> }) {
  if (effects.length === 0) return <>If the cleanup ran now, this would change nothing.</>;
  return (
    <>
      <p>If the cleanup ran now, it would delete:</p>
      <ul className={classes.effects}>
        {effects.map(({ what, stored, tried, isCapped }) => (
          <li key={what}>
            {what}: <strong className={`num ${tried > stored ? classes.bad : ''}`}>{tried.toLocaleString()}</strong>{' '}
            {isCapped && 'or more '}
            <span className="soft">
              (without this change: <span className="num">{stored.toLocaleString()}</span>
              {isCapped && ' or more'})
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
