/** One call of a working module: for the layer as a whole, or for one item of its loop. */
import { evaluate, type Scope } from '@weft/expressions';
import type { LayerContext, LayerModule, Output, WorkingModule } from '../layer-module.js';
import { invalidArgs } from './failure.js';
import { integrationsOf } from './integration-source.js';
import { kvOf } from './kv-source.js';
import { goesOnElsewhere } from './failure.js';
import type { LayerWork } from './layer-call.js';
import type { Outside } from './outside.js';
import { withTimeLimit } from './time-limit.js';

export interface ModuleCall {
  readonly work: LayerWork;
  readonly module: WorkingModule<unknown>;
  readonly args: unknown;
  readonly idempotencyKey: string;
  readonly progress: LayerContext['progress'];
}

/**
 * The layer's arguments with values in the place of expressions, as its module wants them.
 *
 * @throws LayerFailure `invalid_args`, EvaluationError
 */
export function argsOf({ call, layer }: LayerWork, module: LayerModule<unknown>, scope: Scope): unknown {
  const value = evaluate(layer.args, scope, { onMissing: call.prepared.version.settings.onMissing });
  const args = module.argsSchema.safeParse(value);
  if (!args.success) throw invalidArgs(args.error);
  return args.data;
}

/** Calls the module within its time limit; a pure one cannot be interrupted and touches nobody. */
export function callModule(
  { work, module, args, idempotencyKey, progress }: ModuleCall,
  { http, sockets, integrations, kv, accountAi }: Outside,
): Promise<Output> | Output {
  const { call, timeoutMs, maxOutputBytes } = work;
  const context = (signal: AbortSignal): LayerContext => ({
    playId: call.play._id,
    idempotencyKey,
    signal,
    timeoutMs,
    maxOutputBytes,
    http,
    sockets,
    ...integrationsOf(integrations, call, signal),
    kv: kvOf(kv, call.play.company_id, idempotencyKey, work.tally),
    accountAi,
    progress,
  });
  if (module.effect === 'pure') return module.run(args, context(call.signal));
  const start = () => withTimeLimit(timeoutMs, call.signal, (signal) => module.run(args, context(signal)));
  const proof = call.proven?.() ?? true;
  return proof === true ? start() : proof.then((isOwner) => (isOwner ? start() : goesOnElsewhere()));
}
