import { Link } from '@tanstack/react-router';
import type { FlowTab } from '../flow/flow-search';
import { useFlowName } from './flow-names';

interface FlowNameProps {
  readonly id: string;
  readonly tab?: FlowTab;
}

/** The name of a flow, which leads to it. */
export function FlowName({ id, tab }: FlowNameProps) {
  return (
    <Link dir="auto" to="/flows/$flowId" params={{ flowId: id }} search={tab === undefined ? {} : { tab }}>
      <bdi>{useFlowName(id)}</bdi>
    </Link>
  );
}
