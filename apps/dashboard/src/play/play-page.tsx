import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { isFinal } from '@weft/contracts';
import { lazy, Suspense, useDeferredValue, useMemo } from 'react';
import { useFlowName } from '../flows/flow-names';
import type { Play } from '../plays/play';
import { ErrorNotice } from '../ui/error-notice';
import { InTurns } from '../ui/in-turns';
import { useLatest } from '../ui/use-latest';
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

const NONE: readonly string[] = [];

/** What is chosen on the page moves neither the page nor the picture. */
const HERE = { replace: true, resetScroll: false } as const;

function OnePlay({ play, layers }: { readonly play: Play; readonly layers: readonly PlayLayer[] }) {
  const { seq, ref, item } = useSearch({ from: '/shell/plays/$playId' });
  const navigate = useNavigate({ from: '/plays/$playId' });
  const flowName = useFlowName(play.flowId);
  const frames = useQuery(framesQuery(play.id));
  const now = useNow(!isFinal(play.state) && seq === undefined);
  const journal = useMemo(() => journalOf(frames.data ?? [], seq), [frames.data, seq]);
  // of a play that has ended, nothing moves with the clock
  const at = seq === undefined && !isFinal(play.state) ? now : (journal.lastMs ?? now);
  const timeline = useMemo(() => timelineOf(journal, at), [journal, at]);
  const shown = useMemo(() => (seq === undefined ? layers : layersAt(layers, journal)), [layers, journal, seq]);
  const chosen = shown.find((layer) => layer.ref === ref) ?? firstOfInterest(play, shown);
  // the row is marked at once, what tells of it is drawn in turns
  const detail = useDeferredValue(useMemo(() => ({ layer: chosen, item }), [chosen, item]));
  const choose = useLatest(
    (next: string): void => void navigate({ ...HERE, search: ({ item: _, ...before }) => ({ ...before, ref: next }) }),
  );
  const chooseItem = useLatest(
    (next: number): void =>
      void navigate({
        ...HERE,
        search: (before) => ({ ...before, ...(chosen && { ref: chosen.ref }), item: next }),
      }),
  );
  const goTo = useLatest(
    (next: number | undefined): void =>
      void navigate({
        ...HERE,
        search: ({ seq: _, ...before }) => ({ ...before, ...(next !== undefined && { seq: next }) }),
      }),
  );
  return (
    <Page
      title={flowName}
      help="docs/dashboard.md#a-play"
      aside={
        <InTurns>
          <Commands play={play} layers={layers} />
        </InTurns>
      }
    >
      <InTurns>
        <PlayHeader play={play} layers={layers} state={seq === undefined ? play.state : journal.state} />
        {play.state === 'WAIT' && seq === undefined && <Approvals playId={play.id} />}
        {layers.length > 1 && (
          <Suspense>
            <PlayPicture play={play} layers={shown} chosen={detail.layer?.ref} onChoose={choose} />
          </Suspense>
        )}
        <div className={classes.columns}>
          <InTurns>
            <section className={classes.left} aria-label="Timeline">
              <Timeline layers={shown} timeline={timeline} chosen={chosen?.ref} onChoose={choose} />
              {frames.data && frames.data.length > 1 && <Slider frames={frames.data} seq={seq} onChange={goTo} />}
            </section>
            {detail.layer && (
              <Inspector
                key={detail.layer.ref}
                play={play}
                layer={detail.layer}
                failures={journal.layers.get(detail.layer.ref)?.failures ?? NONE}
                isPast={seq !== undefined}
                item={detail.item}
                onItem={chooseItem}
              />
            )}
          </InTurns>
        </div>
      </InTurns>
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
