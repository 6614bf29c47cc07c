import { Skeleton, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ErrorNotice } from '../ui/error-notice';
import { Page } from '../ui/page';
import { FLOW_TABS, type FlowTab } from './flow-search';
import { flowQuery, type Flow } from './queries';

const LayersEditor = lazy(async () => ({ default: (await import('../editor/layers-editor')).LayersEditor }));

const NAMES: Readonly<Record<FlowTab, string>> = {
  layers: 'Layers',
  versions: 'Versions',
  'test-cases': 'Test cases',
  schedules: 'Schedules',
  access: 'Access',
  settings: 'Settings',
};

export function FlowPage() {
  const { flowId } = useParams({ from: '/shell/flows/$flowId' });
  const flow = useQuery(flowQuery(flowId));
  if (flow.data) return <OneFlow key={flowId} flow={flow.data} />;
  return (
    <Page title="Flow">
      {flow.error ? <ErrorNotice error={flow.error} onRetry={() => void flow.refetch()} /> : <Skeleton height={240} />}
    </Page>
  );
}

function OneFlow({ flow }: { readonly flow: Flow }) {
  const { tab = 'layers' } = useSearch({ from: '/shell/flows/$flowId' });
  const navigate = useNavigate({ from: '/flows/$flowId' });
  const open = (next: string | null): void => {
    const chosen = FLOW_TABS.find((each) => each === next);
    void navigate({ search: chosen === undefined || chosen === 'layers' ? {} : { tab: chosen } });
  };
  return (
    <Page title={flow.name}>
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List>
          {FLOW_TABS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {NAMES[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="layers" pt="md">
          <Suspense fallback={<Skeleton height={240} />}>
            <LayersEditor flowId={flow.id} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
