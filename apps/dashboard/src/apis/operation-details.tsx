import type { components } from '@weft/client';
import { useQuery } from '@tanstack/react-query';
import { CallableDetails } from './callable-details';
import { operationQuery, type Api } from './queries';

interface OperationDetailsProps {
  readonly api: Api;
  readonly operation: components['schemas']['ApiOperationHead'];
}

export function OperationDetails({ api, operation: { name, description, tags } }: OperationDetailsProps) {
  return <CallableDetails {...{ name, description, tags }} found={useQuery(operationQuery(api, name))} />;
}
