import type { LayerCall, LayerRunner } from '@weft/layers';
import { WORK_CONTEXT, type Span, type Tracing } from '@weft/observability';
import type { Logger } from 'pino';

import { playLogFields } from '../plays/play-log-fields.js';

type Runner = Pick<LayerRunner, 'run' | 'check' | 'discard'>;

export interface ObservedLayersOptions {
  readonly log: Logger;
  readonly tracing: Tracing;
  /** Called for each call that ended; `code` for those that failed. */
  readonly onEnd: (appId: string, code: string | undefined) => void;
  /** Called for each call whose answer did not fit the schema of its operation or tool. */
  readonly onUnexpected: (flowId: string) => void;
}

/** Their outputs have `unexpected` where an answer did not fit. */
const JUDGED: ReadonlySet<string> = new Set(['operation', 'mcp-tool']);

type LayerEnd = Awaited<ReturnType<Runner['run']>>;

/**
 * The same runner, with a log line for each call that fails and a span for each call of a traced play. Both name the layer
 * and the code only; messages contain data of tenants, and stay in the play.
 */
export function observedLayers(runner: Runner, { log, tracing, onEnd, onUnexpected }: ObservedLayersOptions): Runner {
  const failures = log.child({ component: 'layers' });

  const tell = (call: LayerCall, end: LayerEnd, span: Span | null): LayerEnd => {
    const { outcome } = end;
    const result = outcome.kind === 'result' ? outcome.result : null;
    const code = result?.state === 'FAIL' ? (result.error?.code ?? 'failed') : undefined;
    if (code !== undefined && result) {
      failures.info(
        {
          ...playLogFields(call.play),
          ...layerOf(call),
          attempt: call.attempt,
          error: { code },
          duration_ms: result.completedAt.getTime() - result.startedAt.getTime(),
        },
        'a layer failed',
      );
    }
    if (result) onEnd(layerOf(call).app_id, code);
    if (result?.state === 'DONE' && isUnexpected(call, end.out)) {
      failures.info({ ...playLogFields(call.play), ...layerOf(call) }, 'an answer did not fit its schema');
      onUnexpected(call.play.flowId);
    }
    span?.set({ 'weft.layer.state': result?.state ?? 'WAIT' });
    span?.end(code);
    return end;
  };

  return {
    check: (call) => runner.check(call),
    discard: (call, result) => runner.discard(call, result),
    run: (call) => {
      const around = tracing.isOn ? WORK_CONTEXT.getStore() : undefined;
      const span = around ? beginSpan(tracing, call, around.span) : null;
      const running = span ? WORK_CONTEXT.run({ ...around, span }, () => runner.run(call)) : runner.run(call);
      return running.then((end) => tell(call, end, span));
    },
  };
}

function beginSpan(tracing: Tracing, call: LayerCall, parent: Span | null | undefined): Span | null {
  const { app_id, ref } = layerOf(call);
  return tracing.begin(`layer ${app_id}`, {
    kind: 'internal',
    parent: parent ?? null,
    attributes: { 'weft.layer.app_id': app_id, 'weft.layer.ref': ref, 'weft.layer.attempt': call.attempt },
  });
}

function isUnexpected(call: LayerCall, out: unknown): boolean {
  return (
    JUDGED.has(layerOf(call).app_id) && typeof out === 'object' && out !== null && Object.hasOwn(out, 'unexpected')
  );
}

function layerOf({ prepared, position }: LayerCall) {
  const { ref = '', appId = '' } = prepared.layers[position]?.definition ?? {};
  return { ref, app_id: appId };
}
