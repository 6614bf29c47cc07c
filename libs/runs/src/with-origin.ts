import type { Play } from '@weft/engine';
import { WORK_CONTEXT, type Tracing } from '@weft/observability';

/**
 * Stores a play together with the id of the request that made it and its trace context, so that what workers log and trace
 * about the play belongs to them. That costs no additional write.
 */
export function withOrigin<T extends { readonly replayed: boolean }>(
  play: Play,
  tracing: Tracing,
  store: (play: Play) => Promise<T>,
): Promise<T> {
  const { request_id: requestId, span: parent } = WORK_CONTEXT.getStore() ?? {};
  const withRequest = requestId === undefined ? play : { ...play, requestId };
  const span = tracing.begin('accept play', {
    kind: 'producer',
    parent,
    attributes: { 'weft.play.id': play._id, 'weft.flow.id': play.flowId, 'weft.play.trigger': play.trigger },
  });
  if (!span) return store(withRequest);
  const { traceparent: trace, tracestate: traceState } = span;
  return store({ ...withRequest, trace, ...(traceState !== undefined && { traceState }) }).then(
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
