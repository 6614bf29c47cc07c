import { ActionIcon, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../ui/icon';
import type { Problem } from './problems';
import classes from './editor.module.css';

export type Dock = 'dry-run' | 'backtest';

interface EditorBarProps {
  /** Before the commands. */
  readonly children: ReactNode;
  readonly unsaved: string;
  readonly hasUnreadable: boolean;
  readonly problems: readonly Problem[];
  /** False: what somebody has only begun is not told yet. */
  readonly isTold: boolean;
  /** A layer that was begun, and left before it was filled in. */
  readonly lacking: { readonly name: string; readonly onGo: () => void } | undefined;
  readonly isChecking: boolean;
  readonly showsProblems: boolean;
  readonly onProblems: () => void;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
  /** What may be docked. */
  readonly docks: readonly Dock[];
  readonly dock: Dock | null;
  readonly onDock: (dock: Dock | null) => void;
  readonly isSaving: boolean;
  readonly onSave: () => void;
}

export function EditorBar(props: EditorBarProps) {
  const { children, unsaved, hasUnreadable, canUndo, canRedo, onUndo, onRedo, docks, dock, onDock, isSaving, onSave } =
    props;
  const toggle = (which: Dock) => (
    <Button
      key={which}
      variant={dock === which ? 'light' : 'default'}
      aria-pressed={dock === which}
      onClick={() => onDock(dock === which ? null : which)}
    >
      {which === 'dry-run' ? 'Dry run' : 'Backtest'}
    </Button>
  );
  return (
    <div className={classes.bar} role="toolbar" aria-label="Editor">
      {children}
      <Problems {...props} />
      <span className={classes.unsaved} role="status">
        {hasUnreadable ? 'A text is no JSON yet.' : unsaved === '' ? 'All saved' : `Not saved: ${unsaved}`}
      </span>
      <span className={classes.barEnd}>
        <ActionIcon
          aria-label="Undo"
          aria-keyshortcuts="Control+Z"
          title="Undo (Ctrl+Z)"
          disabled={!canUndo}
          onClick={onUndo}
        >
          <Icon name="undo" />
        </ActionIcon>
        <ActionIcon
          aria-label="Redo"
          aria-keyshortcuts="Control+Shift+Z"
          title="Redo (Ctrl+Shift+Z)"
          disabled={!canRedo}
          onClick={onRedo}
        >
          <Icon name="redo" />
        </ActionIcon>
        {docks.map(toggle)}
        <Button
          disabled={unsaved === '' || hasUnreadable}
          loading={isSaving}
          aria-keyshortcuts="Control+S"
          title="Save (Ctrl+S)"
          onClick={onSave}
        >
          Save
        </Button>
      </span>
    </div>
  );
}

function Problems({ problems, isTold, lacking, isChecking, showsProblems, onProblems }: EditorBarProps) {
  const errors = problems.filter(({ isError }) => isError).length;
  if (problems.length === 0 && !isChecking && lacking) {
    return (
      <Button variant="subtle" color="gray" onClick={lacking.onGo}>
        to be filled in: {lacking.name}
      </Button>
    );
  }
  if (problems.length === 0) {
    return (
      <span className={classes.sound} data-checking={isChecking || !isTold || undefined}>
        {isChecking
          ? 'checking …'
          : isTold && (
              <>
                <Icon name="check" size={13} /> no problems
              </>
            )}
      </span>
    );
  }
  return (
    <Button
      variant="subtle"
      color={errors > 0 ? 'red' : 'yellow'}
      className={errors > 0 ? classes.wrong : classes.doubtful}
      aria-expanded={showsProblems}
      onClick={onProblems}
    >
      {problems.length === 1 ? '1 problem' : `${problems.length} problems`}
    </Button>
  );
}
