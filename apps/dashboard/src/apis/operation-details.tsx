import { Skeleton } from '@mantine/core';
import type { components } from '@weft/client';
import { useQuery } from '@tanstack/react-query';
import { CopyText } from '../ui/copy-text';
import { ErrorNotice } from '../ui/error-notice';
import { operationQuery, type Api } from './queries';
import { Description } from './description';
import { SchemaOutline } from './schema-outline';
import classes from './apis.module.css';

interface OperationDetailsProps {
  readonly api: Api;
  readonly operation: components['schemas']['ApiOperationHead'];
}

/** What an operation takes and answers, as the document says. */
export function OperationDetails({ api, operation: { name, description, tags } }: OperationDetailsProps) {
  const { data, error, refetch } = useQuery(operationQuery(api, name));
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
