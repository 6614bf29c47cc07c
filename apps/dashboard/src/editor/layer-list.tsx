import { useRef, type KeyboardEvent } from 'react';
import type { DraftLayer, Layers } from './draft';
import { LayerRow } from './layer-row';
import type { Command } from './menu-button';
import { movedBy, movedTo, rowsOf } from './order';
import type { Problem } from './problems';
import { useDrag } from './use-drag';
import classes from './editor.module.css';

interface LayerListProps {
  readonly layers: Layers;
  readonly saved: Layers;
  readonly problems: readonly Problem[];
  readonly chosen: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChoose: (key: string) => void;
  readonly onChange: (layers: Layers) => void;
  readonly commandsOf: (layer: DraftLayer) => readonly Command[];
}

/** The layers in the order in which they run; those of a stage are one row. */
export function LayerList(props: LayerListProps) {
  const { layers, saved, problems, chosen, isReadOnly, onChoose, onChange, commandsOf } = props;
  const list = useRef<HTMLOListElement>(null);
  const { drag, start } = useDrag(list, (key, position) => onChange(movedTo(layers, key, position)));
  const focus = (key: string | undefined): void =>
    list.current?.querySelector<HTMLElement>(`[data-layer="${CSS.escape(key ?? '')}"] [data-choose]`)?.focus();
  const press = (event: KeyboardEvent, key: string, position: number): void => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (by === 0 || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!event.altKey) {
      const next = layers[position + by];
      if (next) onChoose(next.key);
      focus(next?.key);
    } else if (!isReadOnly) {
      onChange(movedBy(layers, key, by));
      // the row is another element when it enters or leaves a stage
      requestAnimationFrame(() => focus(key));
    }
  };
  return (
    <ol ref={list} className={classes.list} aria-label="Layers" {...(drag && { 'data-dragging': true })}>
      {rowsOf(layers).map(({ stage, layers: inRow }) => (
        <li key={inRow[0]?.key} className={classes.stage} {...(inRow.length > 1 && { 'data-parallel': true })}>
          {inRow.length > 1 && <span className={classes.stageName}>at the same time: {stage}</span>}
          {inRow.map((layer) => {
            const position = layers.indexOf(layer);
            const mark =
              drag?.to === position
                ? 'before'
                : drag?.to === layers.length && position === layers.length - 1
                  ? 'after'
                  : null;
            return (
              <LayerRow
                key={layer.key}
                layer={layer}
                position={position}
                saved={saved.find(({ key }) => key === layer.key)}
                problems={problems.filter(({ key }) => key === layer.key)}
                isChosen={layer.key === chosen}
                isDragged={drag?.key === layer.key}
                mark={mark}
                onChoose={() => onChoose(layer.key)}
                onKeyDown={(event) => press(event, layer.key, position)}
                onGrab={isReadOnly ? undefined : (event) => start(event, layer.key)}
                commands={isReadOnly ? undefined : () => commandsOf(layer)}
              />
            );
          })}
        </li>
      ))}
    </ol>
  );
}
