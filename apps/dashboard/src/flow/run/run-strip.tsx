import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { layersQuery, playQuery, type PlayLayer } from '../../play/queries';
import { reasonOf } from '../../play/reason';
import type { Play } from '../../plays/play';
import { useLivePlay } from '../../play/use-live-play';
import { nowText } from '../../play/words';
import { durationText } from '../../ui/duration';
import { ErrorNotice } from '../../ui/error-notice';
import { Icon } from '../../ui/icon';
import { StateBadge, STATES } from '../../ui/state-badge';
import classes from './run-strip.module.css';

interface RunStripProps {
  readonly playId: string;
  readonly onClose: () => void;
}

/** What a play does, layer by layer, while its flow is edited. */
export function RunStrip({ playId, onClose }: RunStripProps) {
  useLivePlay(playId);
  const play = useQuery(playQuery(playId));
  const layers = useQuery(layersQuery(playId));
  const error = play.error ?? layers.error;
  return (
    <section className={`panel ${classes.strip}`} aria-label="The play that was started here">
      <div className={classes.now}>
        {play.data && <StateBadge state={play.data.state} isRetrying={play.data.retrying} />}
        <p aria-live="polite">{play.data && layers.data ? nowText(play.data, layers.data) : 'Reading …'}</p>
        <Link to="/plays/$playId" params={{ playId }}>
          Open the play
        </Link>
        <ActionIcon aria-label="Hide the play" className={classes.close} onClick={onClose}>
          <Icon name="cross" size={13} />
        </ActionIcon>
      </div>
      {error && <ErrorNotice error={error} onRetry={() => void Promise.all([play.refetch(), layers.refetch()])} />}
      <ol className={classes.layers}>
        {layers.data?.map((layer) => (
          <Layer key={layer.ref} playId={playId} layer={layer} />
        ))}
      </ol>
      {play.data?.error && <Why error={play.data.error} layers={layers.data} />}
    </section>
  );
}

interface WhyProps {
  readonly error: NonNullable<Play['error']>;
  readonly layers: readonly PlayLayer[] | undefined;
}

/** With what the answer of the peer says, where it says something. */
function Why({ error: { ref, message }, layers }: WhyProps) {
  const reason = reasonOf(layers?.find((layer) => layer.ref === ref)?.out);
  return (
    <p className={classes.error} dir="auto">
      {reason === null || message.includes(reason) ? message : `${message}: ${reason}`}
    </p>
  );
}

function Layer({ playId, layer }: { readonly playId: string; readonly layer: PlayLayer }) {
  const { ref, name, state, startedAt, completedAt } = layer;
  const { word, icon } = STATES[state] ?? { word: state, icon: 'dot' as const };
  const tookMs = startedAt && completedAt ? Date.parse(completedAt) - Date.parse(startedAt) : null;
  return (
    <li data-state={state}>
      <Link to="/plays/$playId" params={{ playId }} search={{ ref }} title={`${name}: ${word}`}>
        <Icon name={icon} size={12} />
        <span className="clip" dir="auto">
          {name}
        </span>
        <span className="sr-only">{word}</span>
        {tookMs !== null && <span className="soft num">{durationText(tookMs)}</span>}
      </Link>
    </li>
  );
}
