import { Link } from '@tanstack/react-router';
import { memo, useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useFlowName } from '../flows/flow-names';
import { Icon } from '../ui/icon';
import { STATES } from '../ui/state-badge';
import { Parts } from '../ui/parts';
import { marksOf, pictureOf, subFlowOf, type Arc, type DrawnLayer } from './picture-model';
import classes from './picture.module.css';

/** What the picture says of a layer besides what it is. */
export interface Note {
  /** A state of a layer; it colours the box. */
  readonly state?: string;
  readonly text?: string;
  /** Longer, for those who hover or listen. */
  readonly says?: string;
  readonly isBad?: boolean;
}

interface PictureProps {
  readonly label: string;
  readonly layers: readonly DrawnLayer[];
  /** By ref. */
  readonly notes: ReadonlyMap<string, Note>;
  /** A ref. */
  readonly chosen: string | undefined;
  /** It stays the same function, as `layers` and `notes` stay the same where nothing has changed: the picture is not drawn again then. */
  readonly onChoose: (ref: string) => void;
}

/** In pixels, as the style sheet has them. */
const BOX = 192;
const GAP = 28;
const LANE = 16;

/** About: a layer that runs a flow has a line more. */
const LAYER_PX = 66;

const sizeOf = (stages: readonly (readonly DrawnLayer[])[]) => ({
  containIntrinsicWidth: `auto ${stages.length * (BOX + GAP)}px`,
  containIntrinsicHeight: `auto ${Math.max(...stages.map(({ length }) => length)) * LAYER_PX}px`,
});

/** A flow as stages in a row: a list, whatever it looks like. */
export const Picture = memo(function Picture({ label, layers, notes, chosen, onChoose }: PictureProps) {
  const { stages, arcs, lanes, cases } = useMemo(() => pictureOf(layers), [layers]);
  const scroll = useRef<HTMLDivElement>(null);
  const place = stages.findIndex((inStage) => inStage.some(({ ref }) => ref === chosen));
  useEffect(() => {
    const view = scroll.current;
    if (place === -1 || !view) return;
    // counted, as the part that has it may not be laid out, or not be there yet
    const left = place * (BOX + GAP);
    // only this box scrolls, not the page
    if (left < view.scrollLeft || left + BOX > view.scrollLeft + view.clientWidth)
      view.scrollLeft = left - (view.clientWidth - BOX) / 2;
  }, [place]);
  return (
    <div ref={scroll} className={classes.scroll} role="region" aria-label={label}>
      <div
        role="list"
        className={classes.stages}
        style={{ paddingTop: lanes * LANE, minWidth: stages.length * (BOX + GAP) - GAP }}
        aria-label={label}
        onKeyDown={walk}
      >
        <Parts
          rows={stages}
          box={scroll}
          sizeOf={sizeOf}
          className={classes.part}
          draw={(inStage, i) => (
            <div
              key={inStage[0]?.ref}
              role="listitem"
              aria-posinset={i + 1}
              aria-setsize={stages.length}
              className={classes.stage}
              data-stage
              {...(i > 0 && { 'data-after': true })}
            >
              {inStage.length > 1 && <span className="sr-only">at the same time: </span>}
              {inStage.map((layer) => (
                <Box
                  key={layer.ref}
                  layer={layer}
                  cases={cases.get(layer.ref)}
                  {...notes.get(layer.ref)}
                  isChosen={layer.ref === chosen}
                  isStop={layer.ref === (chosen ?? stages[0]?.[0]?.ref)}
                  onChoose={onChoose}
                />
              ))}
            </div>
          )}
        />
      </div>
      {arcs.map((arc) => (
        <ArcLine key={arc.key} arc={arc} lanes={lanes} />
      ))}
    </div>
  );
});

/** From box to box: left and right to the next stage, up and down within one. */
function walk(event: KeyboardEvent): void {
  const box = event.target instanceof Element ? event.target.closest('button') : null;
  const stage = box?.closest('[data-stage]');
  if (!box || !stage) return;
  const stages = [...event.currentTarget.querySelectorAll('[data-stage]')];
  const at = stages.indexOf(stage);
  const inStage = [...stage.querySelectorAll('button')];
  const next = {
    ArrowRight: stages[at + 1]?.querySelector('button'),
    ArrowLeft: stages[at - 1]?.querySelector('button'),
    ArrowDown: inStage[inStage.indexOf(box) + 1],
    ArrowUp: inStage[inStage.indexOf(box) - 1],
  }[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Says nothing to those who cannot see it: the layers say in which case they run. */
function ArcLine({ arc: { from, to, lane, name }, lanes }: { readonly arc: Arc; readonly lanes: number }) {
  const left = from * (BOX + GAP) + BOX / 2 + lane * 6;
  const top = (lanes - lane - 1) * LANE;
  const width = to * (BOX + GAP) + BOX / 2 - left;
  return (
    <span className={classes.arc} aria-hidden="true" style={{ left, top, width, height: (lane + 1) * LANE }}>
      <span>{name}</span>
    </span>
  );
}

interface BoxProps extends Note {
  readonly layer: DrawnLayer;
  readonly cases: readonly string[] | undefined;
  readonly isChosen: boolean;
  /** Tab goes to one of them, the arrows to the others. */
  readonly isStop: boolean;
  readonly onChoose: (ref: string) => void;
}

const NO_CASES: readonly string[] = [];

const Box = memo(function Box(props: BoxProps) {
  const { layer, cases = NO_CASES, state, text, says, isBad, isChosen, isStop, onChoose } = props;
  const marks = marksOf(layer, cases);
  const flowId = subFlowOf(layer);
  const known = state === undefined ? undefined : STATES[state];
  const words = [layer.appId, ...marks].join(' · ');
  return (
    <div className={classes.box} data-state={state} {...(isChosen && { 'data-chosen': true })}>
      <button
        type="button"
        aria-current={isChosen || undefined}
        tabIndex={isStop ? 0 : -1}
        title={[layer.name, words, says].filter(Boolean).join('\n')}
        onClick={() => onChoose(layer.ref)}
      >
        <span className={classes.name}>
          {known && <Icon name={known.icon} size={12} />}
          <span className="clip" dir="auto">
            {layer.name}
          </span>
        </span>
        <span className={`clip ${classes.words ?? ''}`}>
          {layer.forEach !== null && <Icon name="retry" size={11} />}
          {layer.when !== null && <Icon name="filter" size={11} />}
          {marks.length > 0 ? marks.join(' · ') : layer.appId}
        </span>
        <span className={`clip num ${classes.note ?? ''}`} {...(isBad && { 'data-bad': true })}>
          {known && <span className="sr-only">{known.word} </span>}
          {text}
          {says !== undefined && <span className="sr-only"> {says}</span>}
        </span>
      </button>
      {flowId !== null && <SubFlow id={flowId} />}
    </div>
  );
});

function SubFlow({ id }: { readonly id: string }): ReactNode {
  const name = useFlowName(id);
  return (
    <Link to="/flows/$flowId" params={{ flowId: id }} className={classes.sub} title={`The flow that it runs: ${name}`}>
      <Icon name="flows" size={12} />
      <span className="clip" dir="auto">
        {name}
      </span>
    </Link>
  );
}
