import type { Play } from '@weft/engine';
import { WORK_CONTEXT, type Tracing } from '@weft/observability';

/**
 * Stores a play with whose request made it and the trace that it is a part of: what workers log and trace of it later, however
 * often it is rung for, belongs to that. Nothing of it is one more write.
 */
export function withOrigin<T extends { readonly replayed: boolean }>(
  play: Play,
  tracing: Tracing,
  store: (play: Play) => Promise<T>,
): Promise<T> {
  const { request_id: requestId, span: parent } = WORK_CONTEXT.getStore() ?? {};
  const of = requestId === undefined ? play : { ...play, requestId };
  const span = tracing.begin('accept play', {
    kind: 'producer',
    parent,
    attributes: { 'weft.play.id': play._id, 'weft.flow.id': play.flowId, 'weft.play.trigger': play.trigger },
  });
  if (!span) return store(of);
  const { traceparent: trace, tracestate: traceState } = span;
  return store({ ...of, trace, ...(traceState !== undefined && { traceState }) }).then(
    (stored) => {
      span.set({ 'weft.play.replayed': stored.replayed });
      span.end();
      return stored;
    },
    (error: unknown) => {
      span.end('not_accepted');
      throw error;
    },
  );
}
