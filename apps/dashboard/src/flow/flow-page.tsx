import { Skeleton, Tabs } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { may, useMe, type Me } from '../session/me';
import { FIGURES } from '../shell/navigation';
import { ErrorNotice } from '../ui/error-notice';
import { InTurns } from '../ui/in-turns';
import { Page } from '../ui/page';
import { FlowCommands } from './flow-commands';
import { FlowHeader } from './flow-header';
import { FLOW_TABS, type FlowTab } from './flow-search';
import { flowQuery, type Flow } from './queries';
import { useFlowRights, type FlowRights } from './rights';

const RunStrip = lazy(async () => ({ default: (await import('./run/run-strip')).RunStrip }));
const LayersEditor = lazy(async () => ({ default: (await import('../editor/layers-editor')).LayersEditor }));
/** A tab is loaded when it is opened. */
const AccessTab = lazy(async () => ({ default: (await import('./access/access-tab')).AccessTab }));
const FiguresTab = lazy(async () => ({ default: (await import('./figures/figures-tab')).FiguresTab }));
const SchedulesTab = lazy(async () => ({ default: (await import('./schedules-tab')).SchedulesTab }));
const SettingsTab = lazy(async () => ({ default: (await import('./settings/settings-tab')).SettingsTab }));
const TestCasesTab = lazy(async () => ({ default: (await import('./test-cases/test-cases-tab')).TestCasesTab }));
const TriggersTab = lazy(async () => ({ default: (await import('./triggers/triggers-tab')).TriggersTab }));
const VersionsTab = lazy(async () => ({ default: (await import('./versions/versions-tab')).VersionsTab }));

const NAMES: Readonly<Record<FlowTab, string>> = {
  layers: 'Layers',
  figures: 'Figures',
  versions: 'Versions',
  'test-cases': 'Test cases',
  schedules: 'Schedules',
  triggers: 'Triggers',
  access: 'Access',
  settings: 'Settings',
};

export function FlowPage() {
  const { flowId } = useParams({ from: '/shell/flows/$flowId' });
  const flow = useQuery(flowQuery(flowId));
  if (flow.data) return <OneFlow key={flowId} flow={flow.data} />;
  return (
    <Page title="Flow" help="docs/dashboard.md#a-flow">
      {flow.error ? <ErrorNotice error={flow.error} onRetry={() => void flow.refetch()} /> : <Skeleton height={240} />}
    </Page>
  );
}

function OneFlow({ flow }: { readonly flow: Flow }) {
  const { tab: asked } = useSearch({ from: '/shell/flows/$flowId' });
  const me = useMe();
  const tabs = tabsOf(flow, useFlowRights(flow), me);
  const tab = tabs.find((each) => each === asked) ?? 'layers';
  const [started, setStarted] = useState<string | null>(null);
  const navigate = useNavigate({ from: '/flows/$flowId' });
  const open = (next: string | null): void => {
    const chosen = FLOW_TABS.find((each) => each === next);
    void navigate({ search: chosen === undefined || chosen === 'layers' ? {} : { tab: chosen } });
  };
  return (
    <Page title={flow.name} help="docs/dashboard.md#a-flow" aside={<FlowCommands flow={flow} onStarted={setStarted} />}>
      <InTurns>
        <FlowHeader flow={flow} hasFaults={tab !== 'layers'} />
        <Tabs value={tab} onChange={open} keepMounted={false}>
          <Tabs.List>
            {tabs.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {NAMES[each]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Suspense fallback={<Skeleton height={240} mt="md" />}>
            <Tabs.Panel value="layers" pt="md">
              {started !== null && <RunStrip key={started} playId={started} onClose={() => setStarted(null)} />}
              <LayersEditor flowId={flow.id} />
            </Tabs.Panel>
            <Tabs.Panel value="figures" pt="md">
              <FiguresTab flow={flow} />
            </Tabs.Panel>
            <Tabs.Panel value="versions" pt="md">
              <VersionsTab flow={flow} />
            </Tabs.Panel>
            <Tabs.Panel value="test-cases" pt="md">
              <TestCasesTab flow={flow} />
            </Tabs.Panel>
            <Tabs.Panel value="schedules" pt="md">
              <SchedulesTab flow={flow} />
            </Tabs.Panel>
            <Tabs.Panel value="triggers" pt="md">
              <TriggersTab flow={flow} />
            </Tabs.Panel>
            <Tabs.Panel value="access" pt="md">
              <AccessTab flow={flow} />
            </Tabs.Panel>
            <Tabs.Panel value="settings" pt="md">
              <SettingsTab flow={flow} />
            </Tabs.Panel>
          </Suspense>
        </Tabs>
      </InTurns>
    </Page>
  );
}

/**
 * Triggers are for those who may change the flow and run it; a blueprint is run by nobody. Somebody without a role reads what a
 * grant opens, and no schedule.
 */
function tabsOf({ isBlueprint }: Flow, { edit, execute }: FlowRights, me: Me): readonly FlowTab[] {
  return FLOW_TABS.filter((tab) => {
    if (tab === 'triggers') return edit && execute && !isBlueprint;
    if (tab === 'figures') return may(me, ...FIGURES) && !isBlueprint;
    return tab !== 'schedules' || (may(me, atLeast('viewer')) && !isBlueprint);
  });
}
