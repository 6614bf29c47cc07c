import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { CopyText } from '../ui/copy-text';
import { ErrorNotice } from '../ui/error-notice';
import { Description } from './description';
import { SchemaOutline } from './schema-outline';
import classes from './apis.module.css';

interface CallableDetailsProps {
  readonly name: string;
  readonly description: string;
  readonly tags?: readonly string[];
  readonly found: UseQueryResult<{ readonly argsSchema: SchemaOf; readonly outSchema: SchemaOf }>;
}

type SchemaOf = Parameters<typeof SchemaOutline>[0]['schema'];

/** What an operation or a tool takes and answers, as its document or its server says. */
export function CallableDetails({ name, description, tags = [], found }: CallableDetailsProps) {
  const { data, error, refetch } = found;
  return (
    <div className={classes.details}>
      <Description text={description} />
      <p className="soft">
        <CopyText text={name} /> {tags.join(', ')}
      </p>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={80} />}
      {data && (
        <div className={classes.sides}>
          <SchemaOutline title="Takes" always="required" schema={data.argsSchema} />
          <SchemaOutline title="Answers" always="always" schema={data.outSchema} />
        </div>
      )}
    </div>
  );
}
