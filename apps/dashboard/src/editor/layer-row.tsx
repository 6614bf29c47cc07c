import type { KeyboardEvent, PointerEvent } from 'react';
import { Icon } from '../ui/icon';
import { isSame, type DraftLayer } from './draft';
import { MenuButton, type Command } from './menu-button';
import { optionWords } from './options';
import type { Problem } from './problems';
import classes from './editor.module.css';

interface LayerRowProps {
  readonly layer: DraftLayer;
  readonly position: number;
  readonly saved: DraftLayer | undefined;
  readonly problems: readonly Problem[];
  readonly isChosen: boolean;
  readonly isDragged: boolean;
  /** Where what is dragged would be put. */
  readonly mark: 'before' | 'after' | null;
  readonly onChoose: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onGrab: ((event: PointerEvent) => void) | undefined;
  /** None for those who only look at it. */
  readonly commands: (() => readonly Command[]) | undefined;
}

export function LayerRow(props: LayerRowProps) {
  const { layer, position, saved, problems, isChosen, isDragged, mark, onChoose, onKeyDown, onGrab, commands } = props;
  const errors = problems.filter(({ isError }) => isError).length;
  const state = saved === undefined ? 'new' : isSame(saved, layer) ? '' : 'changed';
  const words = [layer.appId, ...optionWords(layer)].join(' · ');
  return (
    <div
      className={classes.layer}
      data-layer={layer.key}
      data-ref={layer.ref}
      {...(isChosen && { 'data-chosen': true })}
      {...(isDragged && { 'data-dragged': true })}
      {...(mark !== null && { 'data-mark': mark })}
    >
      {onGrab && (
        <span className={classes.grip} onPointerDown={onGrab} aria-hidden="true">
          <Icon name="grip" size={14} />
        </span>
      )}
      <button
        type="button"
        className={classes.choose}
        data-choose
        aria-current={isChosen || undefined}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        onClick={onChoose}
        onKeyDown={onKeyDown}
      >
        <span className="sr-only">{position + 1}. </span>
        <span className={classes.title}>
          <span className="clip">{layer.name}</span>
          {layer.name !== layer.ref && <code className={`clip ${classes.ref ?? ''}`}>{layer.ref}</code>}
        </span>
        <span className={`clip ${classes.words ?? ''}`}>{words}</span>
        <span className="sr-only">{problemWords(problems.length)}</span>
      </button>
      {state !== '' && <span className={classes.state}>{state}</span>}
      {problems.length > 0 && (
        <span className={classes.count} {...(errors > 0 && { 'data-error': true })} aria-hidden="true">
          {problems.length}
        </span>
      )}
      {commands && <MenuButton label={`Commands for ${layer.ref}`} commands={commands} />}
    </div>
  );
}

function problemWords(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ', 1 problem' : `, ${count} problems`;
}
