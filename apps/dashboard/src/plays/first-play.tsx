import { useQuery } from '@tanstack/react-query';
import { firstFlowCommands } from '../flows/first-flow';
import { flowNamesQuery } from '../flows/flow-names';
import { CopyBlock } from '../ui/copy-block';
import { EmptyState } from '../ui/empty-state';

/** What to do in a company in which nothing has run yet. */
export function FirstPlay() {
  const { data: names } = useQuery(flowNamesQuery);
  const [flow] = names ?? [];
  const base = `${location.origin}/api/v1`;
  if (!flow) {
    return (
      <EmptyState title="No play yet">
        <p>A play is one run of a flow, and there is no flow yet. Make one with a layer:</p>
        <CopyBlock text={firstFlowCommands()} />
        <p>TOKEN is an API key with the scopes api:flows and api:plays; admins make keys under “Your account”.</p>
      </EmptyState>
    );
  }
  const [id, name] = flow;
  return (
    <EmptyState title="No play yet">
      <p>A play is one run of a flow. Run “{name}”:</p>
      <CopyBlock text={runOf(base, id)} />
      <p>TOKEN is an API key with the scope api:plays. The play appears here by itself.</p>
    </EmptyState>
  );
}

function runOf(base: string, flowId: string): string {
  return `curl -X POST '${base}/flows/${flowId}/run' \\\n  -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\\n  -d '{"args":{}}'`;
}
