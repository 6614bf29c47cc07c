import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKeepSample } from '../editor/keep-sample';
import { flowQuery } from '../flow/queries';
import { rightsOn } from '../flow/rights';
import { useMe } from '../session/me';

interface UseAsSampleProps {
  readonly flowId: string;
  /** Of the layer. */
  readonly at: string;
  readonly out: unknown;
}

/** Keeps what a layer gave as its sample, for those who may edit the flow. */
export function UseAsSample({ flowId, at, out }: UseAsSampleProps) {
  const me = useMe();
  const { data: flow } = useQuery(flowQuery(flowId));
  const { keep } = useKeepSample(flowId, at);
  if (!flow || !rightsOn(me, flow).edit) return null;
  return (
    <Button
      mt="sm"
      size="xs"
      variant="default"
      disabled={keep.isSuccess}
      loading={keep.isPending}
      onClick={() => keep.mutate(out)}
    >
      {keep.isSuccess ? 'Used as the sample' : 'Use as sample'}
    </Button>
  );
}
