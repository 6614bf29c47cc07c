import { Skeleton, Tabs } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ComponentType } from 'react';
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
/** What the tabs besides the layers have in them, loaded when they are opened. */
const CONTENTS: Readonly<Record<Exclude<FlowTab, 'layers'>, ComponentType<{ readonly flow: Flow }>>> = {
  figures: lazy(async () => ({ default: (await import('./figures/figures-tab')).FiguresTab })),
  versions: lazy(async () => ({ default: (await import('./versions/versions-tab')).VersionsTab })),
  'test-cases': lazy(async () => ({ default: (await import('./test-cases/test-cases-tab')).TestCasesTab })),
  schedules: lazy(async () => ({ default: (await import('./schedules-tab')).SchedulesTab })),
  triggers: lazy(async () => ({ default: (await import('./triggers/triggers-tab')).TriggersTab })),
  access: lazy(async () => ({ default: (await import('./access/access-tab')).AccessTab })),
  settings: lazy(async () => ({ default: (await import('./settings/settings-tab')).SettingsTab })),
};

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
            {Object.entries(CONTENTS).map(([each, Content]) => (
              <Tabs.Panel key={each} value={each} pt="md">
                <Content flow={flow} />
              </Tabs.Panel>
            ))}
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
