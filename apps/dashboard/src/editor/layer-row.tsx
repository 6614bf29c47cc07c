import { memo, type KeyboardEvent, type PointerEvent } from 'react';
import { Icon } from '../ui/icon';
import { isSame, type DraftLayer } from './draft';
import { MenuButton, type Command } from './menu-button';
import { optionWords } from './options';
import classes from './editor.module.css';

interface LayerRowProps {
  readonly layer: DraftLayer;
  readonly position: number;
  readonly saved: DraftLayer | undefined;
  /** How many. */
  readonly problems: number;
  readonly hasErrors: boolean;
  readonly isChosen: boolean;
  readonly isDragged: boolean;
  /** Where what is dragged would be put. */
  readonly mark: 'before' | 'after' | null;
  readonly onChoose: (key: string) => void;
  readonly onKeyDown: (event: KeyboardEvent, key: string) => void;
  readonly onGrab: ((event: PointerEvent, key: string) => void) | undefined;
  /** None for those who only look at it. */
  readonly commands: ((key: string) => readonly Command[]) | undefined;
}

export const LayerRow = memo(function LayerRow(props: LayerRowProps) {
  const { layer, position, saved, problems, hasErrors, isChosen, isDragged, mark } = props;
  const { onChoose, onKeyDown, onGrab, commands } = props;
  const { key } = layer;
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
        <span className={classes.grip} onPointerDown={(event) => onGrab(event, key)} aria-hidden="true">
          <Icon name="grip" size={14} />
        </span>
      )}
      <button
        type="button"
        className={classes.choose}
        data-choose
        aria-current={isChosen || undefined}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        onClick={() => onChoose(key)}
        onKeyDown={(event) => onKeyDown(event, key)}
      >
        <span className="sr-only">{position + 1}. </span>
        <span className={classes.title}>
          <span className="clip" dir="auto">
            {layer.name}
          </span>
          {layer.name !== layer.ref && <code className={`clip ${classes.ref ?? ''}`}>{layer.ref}</code>}
        </span>
        <span className={`clip ${classes.words ?? ''}`}>{words}</span>
        <span className="sr-only">{problemWords(problems)}</span>
      </button>
      {state !== '' && <span className={classes.state}>{state}</span>}
      {problems > 0 && (
        <span className={classes.count} {...(hasErrors && { 'data-error': true })} aria-hidden="true">
          {problems}
        </span>
      )}
      {commands && <MenuButton label={`Commands for ${layer.ref}`} commands={() => commands(key)} />}
    </div>
  );
});

function problemWords(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ', 1 problem' : `, ${count} problems`;
}
