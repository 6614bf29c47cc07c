import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { versionQuery } from '../../play/queries';
import { ErrorNotice } from '../../ui/error-notice';
import { folded, lineDiff } from './line-diff';
import { versionText } from './version-text';
import classes from './versions.module.css';

const SIGNS = { same: ' ', gone: '−', new: '+' } as const;
/** More lines are not put into the page. */
const MAX_LINES = 2_000;

interface TextDiffProps {
  readonly flowId: string;
  readonly from: number;
  readonly to: number;
}

/** Both versions as text, line by line. */
export function TextDiff({ flowId, from, to }: TextDiffProps) {
  const before = useQuery(versionQuery(flowId, from));
  const after = useQuery(versionQuery(flowId, to));
  const lines = useMemo(
    () => (before.data && after.data ? folded(lineDiff(versionText(before.data), versionText(after.data))) : null),
    [before.data, after.data],
  );
  const error = before.error ?? after.error;
  if (error) return <ErrorNotice error={error} />;
  if (!lines) return <Skeleton height={200} />;
  return (
    <div className={classes.text} tabIndex={0} role="region" aria-label={`Version ${from} and ${to} as text`}>
      {lines.slice(0, MAX_LINES).map((line, i) => (
        <div key={i} data-kind={line.kind}>
          {line.kind === 'fold' ? `… ${line.count} equal lines` : `${SIGNS[line.kind]} ${line.text}`}
        </div>
      ))}
      {lines.length > MAX_LINES && <div data-kind="fold">… {lines.length - MAX_LINES} more lines</div>}
    </div>
  );
}
