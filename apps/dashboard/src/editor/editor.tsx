import {
  lazy,
  Suspense,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type FocusEvent,
  type SyntheticEvent,
} from 'react';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { InTurns } from '../ui/in-turns';
import { AddLayer } from './add-layer';
import { unsavedText, type Flow } from './draft';
import { EditorBar, type Dock } from './editor-bar';
import { fieldsOfArgs, firstArgs } from './form-model';
import { goToField, showPanel } from './go-to-field';
import { commandsOf } from './layer-commands';
import { LayerList } from './layer-list';
import { LayerPanel } from './layer-panel';
import { LeaveQuestion } from '../ui/leave-question';
import { useLatest } from '../ui/use-latest';
import type { Entry } from './entries';
import type { Command } from './menu-button';
import type { Module } from './modules';
import { newLayer, refFor, refOfName } from './new-layer';
import { freeRef, isMoved } from './order';
import { isIn, unreadableProblems, withoutFresh, withoutTyped, type Typing } from './problems';
import { ProblemList } from './problem-list';
import { useDraft } from './use-draft';
import { useSample } from './use-known';
import { stillThere, type Unreadable } from './unreadable';
import { useProblems } from './use-problems';
import classes from './editor.module.css';

/** What is asked for is loaded then. */
const BacktestPanel = lazy(async () => ({ default: (await import('./backtest-panel')).BacktestPanel }));
const ConflictDialog = lazy(async () => ({ default: (await import('./conflict-dialog')).ConflictDialog }));
const FlowPicture = lazy(async () => ({ default: (await import('../picture/flow-picture')).FlowPicture }));
const DryRunPanel = lazy(async () => ({ default: (await import('./dry-run-panel')).DryRunPanel }));

const OTHER_TEXTS = '[role=dialog], [data-own-undo] :is(input, textarea, [contenteditable=true])';

const NO_SHAPE = {};

interface EditorProps {
  readonly flow: Flow;
  readonly modules: readonly Module[];
  readonly isReadOnly: boolean;
  readonly mayRun: boolean;
}

export function Editor({ flow, modules, isReadOnly, mayRun }: EditorProps) {
  const [unreadable, setUnreadable] = useState<Unreadable>(new Map());
  const draft = useDraft(flow, (before, after) => setUnreadable((now) => stillThere(now, before, after)));
  const { saved, layers, isDirty, change, undo, redo, save } = draft;
  const sample = useSample(flow.id);
  const { problems: found, isChecking } = useProblems(flow.id, layers, isReadOnly ? layers : saved);
  const [chosenKey, setChosen] = useState<string>();
  const [dock, setDock] = useState<Dock | null>(null);
  const [showsProblems, setShowsProblems] = useState(false);
  const serial = useRef(0);
  const chosen = layers.find(({ key }) => key === chosenKey) ?? layers[0];
  const unread = useMemo(() => unreadableProblems(unreadable, layers), [unreadable, layers]);
  const hasUnreadable = unread.length > 0;
  const [typing, setTyping] = useState<Typing | null>(null);
  const [left, setLeft] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const showsAll = save.isError || dock !== null;
  const told = useMemo(
    () => (showsAll ? [...unread, ...found] : withoutFresh([...unread, ...found], layers, saved, left)),
    [showsAll, unread, found, layers, saved, left],
  );
  const problems = useMemo(() => withoutTyped(told, typing), [told, typing]);
  const typed = ({ target }: SyntheticEvent): void => {
    const field = fieldOf(target);
    if (chosen === undefined || field === undefined || typing?.field === field) return;
    const place = { key: chosen.key, field };
    setTyping({ ...place, wasWrong: problems.some((problem) => isIn(problem, place)) });
  };
  const leave = ({ target, relatedTarget }: FocusEvent): void => {
    const field = fieldOf(target);
    // a field of code takes the place of a plain one when its script is there
    if (field !== undefined && field === fieldOf(relatedTarget)) return;
    setTyping(null);
    if (chosen === undefined || field === undefined) return;
    const { key } = chosen;
    setLeft((now) => new Map(now).set(key, [...(now.get(key) ?? []).filter((each) => each !== field), field]));
  };
  const go = (key: string | null, field: string): void => {
    if (key !== null) setChosen(key);
    goToField(field);
  };
  const unsaved = unsavedText(saved, layers);
  // of the layer at which somebody is, its form says what is needed
  const untold = [...unread, ...found].find((problem) => problem.key !== chosen?.key && !told.includes(problem));
  const lacking = untold && layers.find(({ key }) => key === untold.key);

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (isReadOnly || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    // texts that are no part of the flow
    if (event.target instanceof Element && event.target.closest(OTHER_TEXTS)) return;
    const key = event.key.toLowerCase();
    if (key === 'z') (event.shiftKey ? redo : undo)();
    else if (key === 's') {
      if (isDirty && !hasUnreadable && !save.isPending) save.mutate();
    } else return;
    event.preventDefault();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);

  const newKey = (): string => `new-${(serial.current += 1)}`;
  const add = ({ module: { appId, argsSchema }, title, args: begun, options }: Entry): void => {
    const key = newKey();
    const args = begun ?? firstArgs(fieldsOfArgs(appId, argsSchema));
    const ref = begun ? refOfName(title) : refFor(appId);
    change((now) => [...now, { ...newLayer(key, freeRef(ref, now), appId, title, args), ...options }]);
    setChosen(key);
    goToField('');
  };
  // who types, adds or chooses does not wait for the list; what moves is shown at once
  const before = useDeferredValue(layers);
  const listed = isMoved(before, layers) ? layers : before;
  const marked = useDeferredValue(problems);
  const chosenInList = useDeferredValue(chosen?.key);
  const chooseInList = useLatest((key: string): void => {
    setChosen(key);
    showPanel();
  });
  const commandsAt = useLatest((key: string): readonly Command[] => {
    const layer = layers.find((each) => each.key === key);
    return layer ? commandsOf(layer, { layers, change, choose: setChosen, newKey }) : [];
  });
  return (
    <div className={classes.editor}>
      <LeaveQuestion
        isDirty={isDirty || hasUnreadable}
        unsaved={unsaved || 'a text that cannot be read yet'}
        save={hasUnreadable ? null : async () => (await save.mutateAsync())?.flow.version ?? null}
      />
      <Suspense>
        {draft.theirs && <ConflictDialog base={saved} mine={layers} theirs={draft.theirs} onSettle={draft.settle} />}
      </Suspense>
      {!isReadOnly && (
        <EditorBar
          unsaved={unsaved}
          hasUnreadable={hasUnreadable}
          problems={problems}
          isTold={problems.length === unread.length + found.length}
          lacking={lacking && { name: lacking.name, onGo: () => go(lacking.key, untold.field) }}
          isChecking={isChecking}
          showsProblems={showsProblems && problems.length > 0}
          onProblems={() => setShowsProblems(!showsProblems)}
          canUndo={draft.canUndo}
          canRedo={draft.canRedo}
          onUndo={undo}
          onRedo={redo}
          docks={mayRun ? ['dry-run', 'backtest'] : ['backtest']}
          dock={dock}
          onDock={setDock}
          isSaving={save.isPending}
          onSave={() => save.mutate()}
        >
          <AddLayer modules={modules} onAdd={add} />
        </EditorBar>
      )}
      {save.isError && <ErrorNotice error={save.error} />}
      {showsProblems && problems.length > 0 && (
        <ProblemList problems={problems} layers={layers} onGo={({ key, field }) => go(key, field)} />
      )}
      {layers.length === 0 && (
        <EmptyState title="No layer yet">
          <p>{isReadOnly ? 'A play of this flow ends at once.' : 'Add a layer: it is a step of what the flow does.'}</p>
        </EmptyState>
      )}
      {layers.length > 1 && (
        <Suspense>
          <InTurns>
            <FlowPicture flowId={flow.id} layers={layers} chosen={chosen?.key} onChoose={setChosen} />
          </InTurns>
        </Suspense>
      )}
      <div className={classes.columns} onInput={typed} onBlur={leave} {...(dock !== null && { 'data-docked': true })}>
        <InTurns>
          {layers.length > 0 && (
            <LayerList
              layers={listed}
              saved={saved}
              problems={marked}
              chosen={chosenInList}
              isReadOnly={isReadOnly}
              onChoose={chooseInList}
              onChange={change}
              commandsOf={commandsAt}
            />
          )}
          {chosen && (
            <LayerPanel
              key={chosen.key}
              flowId={flow.id}
              mayRun={mayRun}
              layer={chosen}
              layers={layers}
              modules={modules}
              sample={sample}
              argsShape={flow.argsSchema ?? NO_SHAPE}
              problems={problems}
              isReadOnly={isReadOnly}
              unreadable={unreadable}
              onUnreadable={setUnreadable}
              onChange={(next, tag) =>
                change((now) => now.map((each) => (each.key === next.key ? next : each)), tag && `${next.key} ${tag}`)
              }
            />
          )}
        </InTurns>
        <Suspense>
          {dock === 'dry-run' && <DryRunPanel flowId={flow.id} layers={layers} sample={sample} isDraft={isDirty} />}
          {dock === 'backtest' && <BacktestPanel flowId={flow.id} layers={layers} />}
        </Suspense>
      </div>
    </div>
  );
}

/** Of a layer's form: `args.url`. */
function fieldOf(target: EventTarget | null): string | undefined {
  return (target as Element | null)?.closest<HTMLElement>('[data-layer-panel] [data-path]')?.dataset.path;
}
