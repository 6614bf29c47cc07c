import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { answerOf, api } from '../api/client';
import { isVersionConflict } from '../api/refusal';
import { flowKey, flowQuery } from '../flow/queries';
import { asSaved, bodyOf, draftOf, isUnchanged, withSavedIds, type Flow, type Layers } from './draft';
import { begin, changed, redone, undone, type History } from './history';

interface Draft {
  /** What it is based on. */
  readonly saved: Layers;
  readonly version: number;
  readonly history: History<Layers>;
}

/** What is not changed is the same object in both: comparing them costs nothing. */
function fresh(flow: Flow): Draft {
  const saved = draftOf(flow);
  return { saved, version: flow.version, history: begin(saved) };
}

/**
 * The layers that are edited, what they are based on, and how they are saved.
 *
 * @param onReplaced called when undo, redo or a merge puts other layers in the place of those that are shown
 */
export function useDraft(flow: Flow, onReplaced: (before: Layers, after: Layers) => void) {
  const [draft, setDraft] = useState(() => fresh(flow));
  const [theirs, setTheirs] = useState<Flow | null>(null);
  const queries = useQueryClient();
  const { saved, history } = draft;
  const layers = useMemo(() => withSavedIds(history.now, saved), [history.now, saved]);
  const isDirty = !isUnchanged(saved, layers);
  // somebody else's change is shown where nothing of one's own would be lost by it
  if (flow.version > draft.version && !isDirty) setDraft(fresh(flow));

  /** @param tag of the field that is typed in: one step for all of it */
  const change = useCallback(
    (next: Layers | ((layers: Layers) => Layers), tag?: string): void =>
      setDraft((now) => {
        const made = typeof next === 'function' ? next(now.history.now) : next;
        return { ...now, history: changed(now.history, made, Date.now(), tag) };
      }),
    [],
  );
  const travel = (go: (history: History<Layers>) => History<Layers> | null): void => {
    const next = go(history);
    if (next === null) return;
    setDraft((now) => ({ ...now, history: next }));
    onReplaced(history.now, next.now);
  };
  const save = useMutation({
    mutationFn: async () => {
      const sent = history.now;
      try {
        return { flow: await put(flow.id, layers, draft.version), sent };
      } catch (error) {
        if (!isVersionConflict(error)) throw error;
        const newest = await queries.query({ ...flowQuery(flow.id), staleTime: 0 });
        // rarely needed: a page does without it
        const { compared } = await import('./merge');
        const { conflicts, theirsAlone, order } = compared({ base: saved, mine: layers, theirs: draftOf(newest) });
        // they changed something else about the flow
        if (conflicts.length === 0 && theirsAlone.length === 0 && (order === null || order === 'mine')) {
          return { flow: await put(flow.id, layers, newest.version), sent };
        }
        setTheirs(newest);
        return null;
      }
    },
    onSuccess: (done) => {
      if (done === null) return;
      setDraft((now) => {
        const written = asSaved(done.sent, done.flow);
        const isStill = now.history.now === done.sent;
        return {
          saved: written,
          version: done.flow.version,
          history: isStill ? { ...now.history, now: written } : now.history,
        };
      });
      // the answer does not say what its caller may do
      const { permissions } = flow;
      queries.setQueryData(flowQuery(flow.id).queryKey, { ...done.flow, permissions });
      void queries.invalidateQueries({ queryKey: flowKey(flow.id), refetchType: 'none' });
      void queries.invalidateQueries({ queryKey: ['flows'], refetchType: 'none' });
    },
  });
  return {
    saved,
    layers,
    isDirty,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    change,
    undo: () => travel(undone),
    redo: () => travel(redone),
    save,
    /** The flow as somebody else saved it meanwhile, while that is to be decided. */
    theirs,
    /** @param layers of both; null: nothing is decided yet */
    settle: (merged: Layers | null): void => {
      setTheirs(null);
      if (merged === null || theirs === null) return;
      onReplaced(history.now, merged);
      setDraft(() => ({
        saved: draftOf(theirs).map((layer) => ({
          ...layer,
          key: merged.find(({ id }) => id === layer.id)?.key ?? layer.key,
        })),
        version: theirs.version,
        // what was before is based on what they have replaced
        history: begin(merged),
      }));
    },
  };
}

function put(id: string, layers: Layers, version: number): Promise<Flow> {
  return answerOf(
    api.PUT('/api/v1/flows/{id}', {
      params: { path: { id }, header: { 'If-Match': `"${version}"` } },
      body: { layers: layers.map(bodyOf) },
    }),
  );
}
