import { memo, useEffect, useMemo, useRef, type KeyboardEvent } from 'react';
import { Parts } from '../ui/parts';
import { useLatest } from '../ui/use-latest';
import type { Layers } from './draft';
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
  /** It and `commandsOf` stay the same function: a row is not drawn again because of them. */
  readonly onChoose: (key: string) => void;
  readonly onChange: (move: (layers: Layers) => Layers) => void;
  /** @param key of a layer */
  readonly commandsOf: (key: string) => readonly Command[];
}

/** The layers in the order in which they run; those of a stage are one row. A change draws only the rows that show it. */
export const LayerList = memo(function LayerList(props: LayerListProps) {
  const { layers, saved, problems, chosen, isReadOnly, onChoose, onChange, commandsOf } = props;
  const list = useRef<HTMLDivElement>(null);
  const { drag, start } = useDrag(list, (key, position) => onChange((now) => movedTo(now, key, position)));
  const before = useMemo(() => new Map(saved.map((layer) => [layer.key, layer])), [saved]);
  const positions = useMemo(() => new Map(layers.map(({ key }, i) => [key, i])), [layers]);
  const found = useMemo(() => Map.groupBy(problems, ({ key }) => key), [problems]);
  const stages = useMemo(() => rowsOf(layers), [layers]);
  const focus = (key: string | undefined): void =>
    list.current?.querySelector<HTMLElement>(`[data-layer="${CSS.escape(key ?? '')}"] [data-choose]`)?.focus();
  /** What has the focus once the list shows its move: the row is another element when it enters or leaves a stage. */
  const moved = useRef<string>(null);
  const press = useLatest((event: KeyboardEvent, key: string) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (by === 0 || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!event.altKey) {
      const next = layers[(positions.get(key) ?? 0) + by];
      if (next) onChoose(next.key);
      focus(next?.key);
    } else if (!isReadOnly) {
      if (movedBy(layers, key, by) !== layers) moved.current = key;
      onChange((now) => movedBy(now, key, by));
    }
  });
  useEffect(() => {
    if (moved.current !== null) focus(moved.current);
    moved.current = null;
  }, [layers]);
  const grab = useLatest(start);
  const markAt = (position: number): 'before' | 'after' | null => {
    if (drag?.to === position) return 'before';
    return drag?.to === layers.length && position === layers.length - 1 ? 'after' : null;
  };
  return (
    <div ref={list} role="list" className={classes.list} aria-label="Layers" {...(drag && { 'data-dragging': true })}>
      <Parts
        rows={stages}
        sizeOf={sizeOf}
        className={classes.part}
        draw={({ stage, layers: inRow }, i) => (
          <div
            key={inRow[0]?.key}
            role="listitem"
            aria-posinset={i + 1}
            aria-setsize={stages.length}
            className={classes.stage}
            {...(inRow.length > 1 && { 'data-parallel': true })}
          >
            {inRow.length > 1 && <span className={classes.stageName}>at the same time: {stage}</span>}
            {inRow.map((layer) => {
              const position = positions.get(layer.key) ?? 0;
              const its = found.get(layer.key) ?? [];
              return (
                <LayerRow
                  key={layer.key}
                  layer={layer}
                  position={position}
                  saved={before.get(layer.key)}
                  problems={its.length}
                  hasErrors={its.some(({ isError }) => isError)}
                  isChosen={layer.key === chosen}
                  isDragged={drag?.key === layer.key}
                  mark={markAt(position)}
                  onChoose={onChoose}
                  onKeyDown={press}
                  onGrab={isReadOnly ? undefined : grab}
                  commands={isReadOnly ? undefined : commandsOf}
                />
              );
            })}
          </div>
        )}
      />
    </div>
  );
});

const LAYER_PX = 50;

const sizeOf = (stages: readonly { readonly layers: Layers }[]) => ({
  containIntrinsicHeight: `auto ${stages.reduce((sum, { layers }) => sum + layers.length, 0) * LAYER_PX}px`,
});
