import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from '@mantine/core';
import { useFlowName } from '../flows/flow-names';
import { layersQuery, playQuery, type PlayLayer } from '../play/queries';
import type { Play } from '../plays/play';
import { durationText } from '../ui/duration';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { Page } from '../ui/page';
import { PlaySkeleton } from '../play/play-skeleton';
import { StateBadge } from '../ui/state-badge';
import { Table } from '../ui/table';
import { exactTime } from '../ui/time';
import { alignLayers } from './align';
import { Differences } from './differences-list';
import classes from './compare.module.css';

/** Two plays side by side, their layers aligned by ref: what differs, and nothing else. */
export function ComparePage() {
  const { a, b } = useSearch({ from: '/shell/compare' });
  const navigate = useNavigate();
  const [left, right] = [useQuery(playQuery(a)), useQuery(playQuery(b))];
  const [layersA, layersB] = [useQuery(layersQuery(a)), useQuery(layersQuery(b))];
  const error = left.error ?? right.error ?? layersA.error ?? layersB.error;
  const swap = (
    <Button variant="default" onClick={() => void navigate({ to: '/compare', search: { a: b, b: a } })}>
      Swap
    </Button>
  );
  return (
    <Page title="Two plays side by side" help="docs/dashboard.md#a-play" aside={swap}>
      {error && <ErrorNotice error={error} />}
      {left.data && right.data && layersA.data && layersB.data ? (
        <>
          <div className={classes.two}>
            <Side name="Left" play={left.data} />
            <Side name="Right" play={right.data} />
          </div>
          <Differences title="Arguments of the run" before={left.data.args ?? {}} after={right.data.args ?? {}} />
          <Layers a={layersA.data} b={layersB.data} />
        </>
      ) : (
        !error && <PlaySkeleton />
      )}
    </Page>
  );
}

function Side({ name, play }: { readonly name: string; readonly play: Play }) {
  const flowName = useFlowName(play.flowId);
  return (
    <section className={`panel ${classes.side}`} aria-label={name}>
      <div className={classes.head}>
        <StateBadge state={play.state} />
        <Link to="/plays/$playId" params={{ playId: play.id }}>
          <bdi>{flowName}</bdi>
        </Link>
        <span className="soft">version {play.version}</span>
      </div>
      <span className="soft num">
        {exactTime(play.createdAt)}
        {play.duration !== null && `, took ${durationText(play.duration)}`}
      </span>
      {play.error && <span className={classes.error}>{play.error.message}</span>}
    </section>
  );
}

function Layers({ a, b }: { readonly a: readonly PlayLayer[]; readonly b: readonly PlayLayer[] }) {
  const pairs = alignLayers(a, b);
  if (pairs.length === 0) return <EmptyState title="Neither play has a layer" />;
  const outputs = pairs.filter(({ isSame }) => !isSame);
  return (
    <>
      <Table
        caption="Layers"
        columns={['Layer', 'Left', 'Right', 'Output']}
        rows={pairs.map(({ ref, left, right, isSame }) => ({
          key: ref,
          cells: [
            <code key="ref">{ref}</code>,
            left ? <StateOf key="left" layer={left} /> : 'absent',
            right ? <StateOf key="right" layer={right} /> : 'absent',
            isSame ? <span className="soft">the same</span> : 'differs',
          ],
        }))}
      />
      {outputs.map(({ ref, left, right }) => (
        <Differences key={ref} title={`Output of ${ref}`} before={left?.out} after={right?.out} />
      ))}
    </>
  );
}

function StateOf({ layer }: { readonly layer: PlayLayer }) {
  return (
    <>
      <StateBadge state={layer.state} /> {layer.error && <span className={classes.error}>{layer.error.message}</span>}
    </>
  );
}
