import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { isFinal } from '@weft/contracts';
import { lazy, Suspense, useMemo } from 'react';
import { useFlowName } from '../flows/flow-names';
import type { Play } from '../plays/play';
import { ErrorNotice } from '../ui/error-notice';
import { Page } from '../ui/page';
import { useNow } from '../ui/now';
import { Approvals } from './approvals';
import { Commands } from './commands';
import { Inspector } from './inspector';
import { journalOf } from './journal';
import { PlayHeader } from './play-header';
import { PlaySkeleton } from './play-skeleton';
import { framesQuery, layersQuery, playQuery, type PlayLayer } from './queries';
import { Slider } from './slider';
import { Timeline } from './timeline';
import { timelineOf } from './timeline-model';
import { useLivePlay } from './use-live-play';
import { layersAt } from './layers-at';
import classes from './play.module.css';

const PlayPicture = lazy(async () => ({ default: (await import('../picture/play-picture')).PlayPicture }));

export function PlayPage() {
  const { playId } = useParams({ from: '/shell/plays/$playId' });
  useLivePlay(playId);
  const play = useQuery(playQuery(playId));
  const layers = useQuery(layersQuery(playId));
  const error = play.error ?? layers.error;
  if (play.data && layers.data) return <OnePlay key={playId} play={play.data} layers={layers.data} />;
  return (
    <Page title="Play" help="docs/dashboard.md#a-play">
      {error ? <ErrorNotice error={error} onRetry={() => void play.refetch()} /> : <PlaySkeleton />}
    </Page>
  );
}

/** What is chosen on the page moves neither the page nor the picture. */
const HERE = { replace: true, resetScroll: false } as const;

function OnePlay({ play, layers }: { readonly play: Play; readonly layers: readonly PlayLayer[] }) {
  const { seq, ref, item } = useSearch({ from: '/shell/plays/$playId' });
  const navigate = useNavigate({ from: '/plays/$playId' });
  const flowName = useFlowName(play.flowId);
  const frames = useQuery(framesQuery(play.id));
  const now = useNow(!isFinal(play.state) && seq === undefined);
  const journal = useMemo(() => journalOf(frames.data ?? [], seq), [frames.data, seq]);
  const at = seq === undefined ? now : (journal.lastMs ?? now);
  const timeline = useMemo(() => timelineOf(journal, at), [journal, at]);
  const shown = seq === undefined ? layers : layersAt(layers, journal);
  const chosen = shown.find((layer) => layer.ref === ref) ?? firstOfInterest(play, shown);
  const choose = (next: string): void =>
    void navigate({ ...HERE, search: ({ item: _, ...before }) => ({ ...before, ref: next }) });
  const chooseItem = (next: number): void =>
    void navigate({
      ...HERE,
      search: (before) => ({ ...before, ...(chosen && { ref: chosen.ref }), item: next }),
    });
  const goTo = (next: number | undefined): void =>
    void navigate({
      ...HERE,
      search: ({ seq: _, ...before }) => ({ ...before, ...(next !== undefined && { seq: next }) }),
    });
  return (
    <Page title={flowName} help="docs/dashboard.md#a-play" aside={<Commands play={play} layers={layers} />}>
      <PlayHeader play={play} layers={layers} state={seq === undefined ? play.state : journal.state} />
      {play.state === 'WAIT' && seq === undefined && <Approvals playId={play.id} />}
      {layers.length > 1 && (
        <Suspense>
          <PlayPicture play={play} layers={shown} chosen={chosen?.ref} onChoose={choose} />
        </Suspense>
      )}
      <div className={classes.columns}>
        <section className={classes.left} aria-label="Timeline">
          <Timeline layers={shown} timeline={timeline} chosen={chosen?.ref} onChoose={choose} />
          {frames.data && frames.data.length > 1 && <Slider frames={frames.data} seq={seq} onChange={goTo} />}
        </section>
        {chosen && (
          <Inspector
            key={chosen.ref}
            play={play}
            layer={chosen}
            failures={journal.layers.get(chosen.ref)?.failures ?? []}
            isPast={seq !== undefined}
            item={item}
            onItem={chooseItem}
          />
        )}
      </div>
    </Page>
  );
}

/** The page opens on what one came for: the layer that failed, or the one at work. */
function firstOfInterest(play: Play, layers: readonly PlayLayer[]): PlayLayer | undefined {
  return (
    layers.find(({ ref }) => ref === play.error?.ref) ??
    layers.find(({ state }) => state === 'FAIL') ??
    layers.find(({ state }) => state === 'RUN' || state === 'WAIT' || state === 'DEFERRED') ??
    layers.findLast(({ state }) => state === 'DONE') ??
    layers[0]
  );
}
