/** One call of a working module: for the layer as a whole, or for one item of its loop. */
import { chainOf } from '@weft/engine';
import { evaluate, type Scope } from '@weft/expressions';
import type { Sandbox } from '@weft/sandbox';
import type { Asked, LayerContext, LayerModule, Output, StartingModule, WorkingModule } from '../layer-module.js';
import { integrationsOf } from './integration-source.js';
import { kvOf } from './kv-source.js';
import { goesOnElsewhere, invalidArgs } from './failure.js';
import { callSandbox, computed, type SandboxUse } from './call-sandbox.js';
import type { LayerWork } from './layer-call.js';
import type { Outside } from './outside.js';
import { playsOf } from './plays-source.js';
import { withTimeLimit } from './time-limit.js';

export interface ModuleCall {
  readonly work: LayerWork;
  readonly module: WorkingModule<unknown>;
  readonly args: unknown;
  /** What a program of the module can read. */
  readonly scope: Scope;
  readonly idempotencyKey: string;
  readonly storage: LayerContext['storage'];
  readonly progress: LayerContext['progress'];
}

/** `<playId>.<layer position>`, in a loop with `.<index>` behind it; of a retry with the id of the first play of its chain. */
export function keyOf({ call: { play, position } }: LayerWork, index?: number): string {
  const { first } = chainOf(play);
  return index === undefined ? `${first}.${position}` : `${first}.${position}.${index}`;
}

/** The sandbox for one call, or for one item of its loop. */
export function sandboxUse({ call }: LayerWork, sandbox: Pick<Sandbox, 'run'>, seed: string): SandboxUse {
  return { sandbox, play: call.play, signal: call.signal, seed };
}

/**
 * The layer's arguments with values in the place of expressions, as its module wants them.
 *
 * A promise only when richer expressions have to be computed.
 *
 * @throws LayerFailure `invalid_args`, `expression_failed`, `sandbox_limit`, EvaluationError
 */
export function argsOf(work: LayerWork, module: LayerModule<unknown>, scope: Scope, use: SandboxUse): unknown {
  const full = computed(work.layer.args, scope, use);
  return full instanceof Promise
    ? full.then((known) => parsedArgs(work, module, known))
    : parsedArgs(work, module, full);
}

function parsedArgs({ call, layer }: LayerWork, module: LayerModule<unknown>, scope: Scope): unknown {
  const value = evaluate(layer.args, scope, { onMissing: call.prepared.version.settings.onMissing });
  const args = module.argsSchema.safeParse(value);
  if (!args.success) throw invalidArgs(args.error);
  return args.data;
}

/** Calls the module within its time limit; a pure one cannot be interrupted and touches nobody. */
export function callModule(call: ModuleCall, outside: Outside): Promise<Output> | Output {
  const { work, module, args } = call;
  if (module.effect === 'pure') return module.run(args, contextOf(call, outside, work.call.signal));
  return asOwner(work, (signal) => module.run(args, contextOf(call, outside, signal)));
}

/** The same for a module that sets something off: it is told the answer when there is one. */
export function callStarting(
  call: Omit<ModuleCall, 'module'> & { readonly module: StartingModule<unknown> },
  outside: Outside,
): Promise<Asked> {
  const { work, module, args } = call;
  const { answer } = work.call;
  return asOwner(work, async (signal) => {
    const context = contextOf(call, outside, signal);
    return answer ? { done: await module.end(args, answer, context) } : module.begin(args, context);
  });
}

function asOwner<T>({ call, timeoutMs }: LayerWork, work: (signal: AbortSignal) => Promise<T> | T): Promise<T> {
  const start = () => withTimeLimit(timeoutMs, call.signal, work);
  const proof = call.proven?.() ?? true;
  return proof === true ? start() : proof.then((isOwner) => (isOwner ? start() : goesOnElsewhere()));
}

function contextOf(
  { work, scope, idempotencyKey, storage, progress }: Omit<ModuleCall, 'module'>,
  { http, sockets, integrations, kv, plays, accountAi, sandbox }: Outside,
  signal: AbortSignal,
): LayerContext {
  const { call, timeoutMs, maxOutputBytes } = work;
  return {
    playId: call.play._id,
    idempotencyKey,
    signal,
    timeoutMs,
    maxOutputBytes,
    http,
    sockets,
    storage,
    ...integrationsOf(integrations, call, signal),
    kv: kvOf(kv, call.play.company_id, idempotencyKey, work.tally),
    plays: playsOf(plays, call.play, call.position),
    accountAi,
    sandbox: callSandbox({ sandbox, play: call.play, signal, seed: idempotencyKey }, scope),
    progress,
  };
}
