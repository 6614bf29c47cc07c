import { memo, useRef } from 'react';
import type { Bar, Timeline as Model } from './timeline-model';
import { durationText } from '../ui/duration';
import { Icon } from '../ui/icon';
import { STATES } from '../ui/state-badge';
import { Parts } from '../ui/parts';
import type { PlayLayer } from './queries';
import classes from './timeline.module.css';

interface TimelineProps {
  readonly layers: readonly PlayLayer[];
  readonly timeline: Model;
  readonly chosen: string | undefined;
  readonly onChoose: (ref: string) => void;
}

/** One row a layer: what it did and when. Rows at the same time are a stage. */
export const Timeline = memo(function Timeline({ layers, timeline, chosen, onChoose }: TimelineProps) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <div ref={box} className={`panel ${classes.timeline}`} role="listbox" aria-label="Layers" data-timeline>
      <Parts
        rows={layers}
        box={box}
        sizeOf={sizeOf}
        draw={(layer, i) => (
          <Row
            key={layer.ref}
            layer={layer}
            position={i + 1}
            count={layers.length}
            bar={timeline.bars.get(layer.ref)}
            folds={timeline.folds}
            isChosen={layer.ref === chosen}
            onChoose={onChoose}
          />
        )}
      />
      {timeline.folds.length > 0 && (
        <p className={classes.note}>
          {timeline.folds.map(({ fromMs, toMs }) => durationText(toMs - fromMs)).join(', ')} in which nothing ran{' '}
          {timeline.folds.length === 1 ? 'is' : 'are'} folded.
        </p>
      )}
    </div>
  );
});

const ROW_PX = 30;

const sizeOf = ({ length }: readonly PlayLayer[]) => ({ containIntrinsicHeight: `${length * ROW_PX}px` });

interface RowProps {
  readonly layer: PlayLayer;
  /** From 1. */
  readonly position: number;
  readonly count: number;
  readonly bar: Bar | undefined;
  readonly folds: Model['folds'];
  readonly isChosen: boolean;
  readonly onChoose: (ref: string) => void;
}

const Row = memo(function Row({ layer, position, count, bar, folds, isChosen, onChoose }: RowProps) {
  const word = STATES[layer.state]?.word ?? layer.state;
  return (
    <button
      type="button"
      role="option"
      className={classes.row}
      aria-selected={isChosen}
      aria-posinset={position}
      aria-setsize={count}
      data-state={layer.state}
      data-ref={layer.ref}
      onClick={() => onChoose(layer.ref)}
    >
      <span className={classes.name} title={layer.name === layer.ref ? layer.ref : `${layer.name} (${layer.ref})`}>
        <Icon name={STATES[layer.state]?.icon ?? 'dot'} size={13} />
        <span className="clip" dir="auto">
          {layer.name}
        </span>
        <span className="sr-only">{word}</span>
        {layer.attempts > 1 && <span className={classes.attempts}>×{layer.attempts}</span>}
      </span>
      <span className={classes.track} aria-hidden="true">
        {folds.map(({ at, width, fromMs, toMs }) => (
          <span
            key={fromMs}
            className={classes.fold}
            style={{ left: `${at}%`, width: `${width}%` }}
            title={`${durationText(toMs - fromMs)} in which nothing ran`}
          />
        ))}
        {bar && <Segments bar={bar} />}
      </span>
      <span className={classes.took}>{bar?.tookMs != null ? durationText(bar.tookMs) : ''}</span>
    </button>
  );
});

function Segments({ bar }: { readonly bar: Bar }) {
  return bar.segments.map(({ at, width, isRest, span }) => (
    <span
      key={span.fromMs}
      className={classes.segment}
      style={{ left: `min(${at}%, 100% - 3px)`, width: `max(3px, ${width}%)` }}
      {...(isRest && { 'data-rest': true })}
      title={`${isRest ? 'waited' : 'ran'} ${durationText(span.toMs - span.fromMs)}`}
    />
  ));
}
