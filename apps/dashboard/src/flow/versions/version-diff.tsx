import { NumberInput, SegmentedControl, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ErrorNotice } from '../../ui/error-notice';
import { Changes } from './changes';
import { groupChanges } from './diff-model';
import { diffQuery } from './queries';
import { TextDiff } from './text-diff';
import classes from './versions.module.css';

interface VersionDiffProps {
  readonly flowId: string;
  readonly from: number;
  readonly to: number;
  readonly newest: number;
  readonly onChange: (from: number, to: number) => void;
}

export function VersionDiff({ flowId, from, to, newest, onChange }: VersionDiffProps) {
  const [asText, setText] = useState(false);
  const { data, error } = useQuery(diffQuery(flowId, from, to));
  const groups = useMemo(() => groupChanges(data?.changes ?? []), [data]);
  const limits = { min: 1, max: newest, allowDecimal: false, allowNegative: false, clampBehavior: 'strict' } as const;
  return (
    <section className={`panel ${classes.diff}`} aria-label="What changed">
      <div className={classes.choose}>
        <h2>What changed</h2>
        <NumberInput
          {...limits}
          aria-label="From version"
          prefix="from "
          w={92}
          value={from}
          onChange={(value) => Number(value) > 0 && onChange(Number(value), to)}
        />
        <NumberInput
          {...limits}
          aria-label="To version"
          prefix="to "
          w={84}
          value={to}
          onChange={(value) => Number(value) > 0 && onChange(from, Number(value))}
        />
        <SegmentedControl
          aria-label="How it is shown"
          data={[
            { value: 'field', label: 'By field' },
            { value: 'text', label: 'As text' },
          ]}
          value={asText ? 'text' : 'field'}
          onChange={(value) => setText(value === 'text')}
        />
      </div>
      {error && <ErrorNotice error={error} />}
      {asText ? (
        <TextDiff flowId={flowId} from={from} to={to} />
      ) : data ? (
        <Changes groups={groups} />
      ) : (
        !error && <Skeleton height={120} />
      )}
    </section>
  );
}
