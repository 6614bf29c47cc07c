import { Button } from '@mantine/core';
import type { components } from '@weft/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { answerOf, api } from '../api/client';
import { useListKeys } from '../plays/use-list-keys';
import { durationText } from '../ui/duration';
import { showError } from '../ui/show-error';
import { StateBadge } from '../ui/state-badge';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { FlowMarks } from './flow-marks';
import { useFlowFigures, useLastPlays, type FlowFigures, type LastPlays } from './use-flows';
import classes from './flows.module.css';

type Flow = components['schemas']['Flow'];

const FIGURE_COLUMNS = ['Plays in 24 h', 'Success', 'p95'];

export function FlowsTable({ flows }: { readonly flows: readonly Flow[] }) {
  const navigate = useNavigate();
  const figures = useFlowFigures();
  const plays = useLastPlays();
  const cursor = useListKeys({
    count: flows.length,
    onMove: (index) =>
      document.querySelector(`[data-flow="${flows[index]?.id}"]`)?.scrollIntoView({ block: 'nearest' }),
    onOpen: (index) => {
      const flowId = flows[index]?.id;
      if (flowId !== undefined) void navigate({ to: '/flows/$flowId', params: { flowId } });
    },
    onMark: () => undefined,
    onMarkAll: () => undefined,
    onClear: () => undefined,
    onShow: () => undefined,
  });
  return (
    <Table
      caption="Flows"
      hideCaption
      isFlush
      columns={['Flow', 'Last play', ...(figures === null ? [] : FIGURE_COLUMNS), 'Version', 'Changed']}
      wide={figures === null ? [2, 3] : [2, 3, 4, 5, 6]}
      rows={flows.map((flow, index) => ({
        key: flow.id,
        isCursor: index === cursor,
        cells: [
          <Name key="name" flow={flow} />,
          flow.filteredAt === null ? (
            <LastPlay key="last" flow={flow} plays={plays} figures={figures?.get(flow.id)} />
          ) : (
            <Restore key="back" flow={flow} />
          ),
          ...(figures === null ? [] : figureCells(figures.get(flow.id))),
          <span key="version" className="num">
            {flow.version}
          </span>,
          <Time key="at" at={flow.updatedAt} />,
        ],
      }))}
    />
  );
}

function Name({ flow }: { readonly flow: Flow }) {
  return (
    <div className={classes.name} data-flow={flow.id}>
      {flow.filteredAt === null ? (
        <Link to="/flows/$flowId" params={{ flowId: flow.id }} title={flow.description || undefined} dir="auto">
          {flow.name}
        </Link>
      ) : (
        <bdi>{flow.name}</bdi>
      )}
      {flow.category !== '' && <span className="soft">{flow.category}</span>}
      <FlowMarks flow={flow} />
    </div>
  );
}

interface LastPlayProps {
  readonly flow: Flow;
  readonly plays: LastPlays | null;
  readonly figures: FlowFigures | undefined;
}

/** Of flows that ran long ago nobody asked for the last play: the list of their plays has it. */
function LastPlay({ flow, plays, figures }: LastPlayProps) {
  const last = plays?.of.get(flow.id);
  if (flow.isBlueprint) return <span className="soft">is not run</span>;
  if (last) {
    return (
      <Link to="/plays/$playId" params={{ playId: last.id }} className={classes.last}>
        <StateBadge state={last.state} /> <Time at={last.createdAt} />
      </Link>
    );
  }
  if (plays === null) return null;
  if (plays.areAll) return <span className="soft">never ran</span>;
  return (
    <Link to="/plays" search={{ flowId: flow.id }} className={classes.last}>
      {figures?.last_play ? <Time at={figures.last_play} /> : 'see its plays'}
    </Link>
  );
}

function figureCells(figures: FlowFigures | undefined) {
  const shown = (text: string | null) => <span className="num">{text ?? <span className="soft">–</span>}</span>;
  const rate = figures?.success_rate ?? null;
  return [
    shown(figures ? figures.plays.toLocaleString() : null),
    shown(rate === null ? null : `${(rate * 100).toFixed(rate === 1 || rate === 0 ? 0 : 1)} %`),
    shown(figures?.p95_ms == null ? null : durationText(figures.p95_ms)),
  ];
}

function Restore({ flow }: { readonly flow: Flow }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const restore = useMutation({
    mutationFn: () => answerOf(api.POST('/api/v1/flows/{id}/restore', { params: { path: { id: flow.id } } })),
    onError: showError,
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['flows'] });
      void navigate({ to: '/flows/$flowId', params: { flowId: id } });
    },
  });
  return (
    <Button variant="default" loading={restore.isPending} onClick={() => restore.mutate()}>
      Restore
    </Button>
  );
}
