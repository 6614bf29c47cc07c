import { Button } from '@mantine/core';
import { CopyBlock } from '../ui/copy-block';
import { EmptyState } from '../ui/empty-state';

/** A company without flows: what to do next. */
export function FirstFlow({ onNew }: { readonly onNew: (() => void) | null }) {
  return (
    <EmptyState title="No flow yet">
      <p>A flow is a list of layers that run one after the other. Each run of it is a play.</p>
      {onNew && <Button onClick={onNew}>Make the first flow</Button>}
      <p>
        {onNew ? 'Or make one, with a layer, and run it from a shell:' : 'Editors make flows, here or from a shell:'}
      </p>
      <CopyBlock text={firstFlowCommands()} />
      <p>TOKEN is an API key with the scopes api:flows and api:plays; admins make keys under “Your account”.</p>
    </EmptyState>
  );
}

/** Makes a flow with one layer, and runs it. */
export function firstFlowCommands(): string {
  const base = `${location.origin}/api/v1`;
  const head = `-H "authorization: Bearer $TOKEN" -H 'content-type: application/json'`;
  return [
    `flow=$(curl -s '${base}/flows' ${head} \\`,
    `  -d '{"name":"Hello"}' | sed 's/^{"id":"\\([^"]*\\)".*/\\1/')`,
    `curl "${base}/flows/$flow/layers" ${head} \\`,
    `  -d '{"ref":"greet","appId":"text-template","args":{"template":"Hello {{ $prev.args.name }}"}}'`,
    `curl "${base}/flows/$flow/run" ${head} \\`,
    `  -d '{"args":{"name":"Ada"}}'`,
  ].join('\n');
}
