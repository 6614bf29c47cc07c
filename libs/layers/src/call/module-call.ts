/** One call of a working module: for the layer as a whole, or for one item of its loop. */
import { chainOf } from '@weft/engine';
import { evaluate, type ExpressionScope } from '@weft/expressions';
import { asSeenByPrograms, hasBigIntegers, isFields } from '@weft/kernel';
import type { LayerContext, LayerModule, Output, StartingModule, StartResult, WorkingModule } from '../layer-module.js';
import { throwPlayLost, invalidArgs } from './failure.js';
import { CallContext, type CallFacts } from './call-context.js';
import { computed, type SandboxUse } from './call-sandbox.js';
import type { PreparedCall } from './layer-call.js';
import { filesOf } from './layer-files.js';
import type { ModuleServices } from './module-services.js';
import type { PreparedLayer } from './prepared-version.js';
import { withTimeLimit, type CallClock } from './time-limit.js';

export interface ModuleCall extends CallFacts {
  readonly module: WorkingModule<unknown>;
  readonly args: unknown;
}

/**
 * `<playId>.<layer position>`, in a loop followed by `.<index>`; for a retry with the id of the first play of its
 * chain.
 */
export function idempotencyKeyOf({ call: { play, position } }: PreparedCall, index?: number): string {
  const { first } = chainOf(play);
  return index === undefined ? `${first}.${position}` : `${first}.${position}.${index}`;
}

/** The sandbox for one call, or for one item of its loop. */
export function sandboxUse(
  { call }: PreparedCall,
  services: Pick<ModuleServices, 'sandbox' | 'files'>,
  seed: string,
): SandboxUse {
  const files = services.files && filesOf(services.files, call);
  return { sandbox: services.sandbox, files, play: call.play, signal: call.signal, seed };
}

/**
 * The layer's arguments with values instead of expressions, parsed by its module's schema.
 *
 * A promise only when richer expressions have to be computed.
 *
 * @throws LayerFailure `invalid_args`, `expression_failed`, `sandbox_limit`, EvaluationError
 */
export function argsOf(
  work: PreparedCall,
  module: LayerModule<unknown>,
  scope: ExpressionScope,
  use: SandboxUse,
): unknown {
  const full = computed(work.layer.args, scope, use);
  return full instanceof Promise
    ? full.then((known) => parsedArgs(work, module, known))
    : parsedArgs(work, module, full);
}

function parsedArgs({ call, layer }: PreparedCall, module: LayerModule<unknown>, scope: ExpressionScope): unknown {
  const value = evaluate(layer.args, scope, { onMissing: call.prepared.version.settings.onMissing });
  const args = parsedBefore(layer, module, value) ?? parse(layer, module, value);
  return module.bind ? module.bind(args, layer.face, call.prepared.faces) : args;
}

function parse(layer: PreparedLayer, { argsSchema, openArg }: LayerModule<unknown>, value: unknown): unknown {
  let args = argsSchema.safeParse(value);
  if (!args.success && hasBigIntegers(value)) args = argsSchema.safeParse(withTexts(value, args.error.issues));
  if (!args.success) throw invalidArgs(args.error, argsSchema, value);
  if (openArg !== undefined && isOpenAlone(layer, openArg)) PARSED.set(layer, args.data as Fields);
  return args.data;
}

type Fields = Readonly<Record<string, unknown>>;

/** Arguments of layers of which all but the `openArg` are constants. */
const PARSED = new WeakMap<PreparedLayer, Fields>();

function isOpenAlone({ args: { node } }: PreparedLayer, openArg: string): boolean {
  return node.kind === 'object' && node.values.every(({ kind }, i) => kind === 'constant' || node.keys[i] === openArg);
}

/** Null: the schema has to read them. */
function parsedBefore(layer: PreparedLayer, { openArg }: LayerModule<unknown>, value: unknown): Fields | null {
  const before = openArg === undefined ? undefined : PARSED.get(layer);
  if (openArg === undefined || !before) return null;
  const open = (value as Fields)[openArg];
  // a schema leaves such a name out
  if (!isFields(open) || Object.hasOwn(open, '__proto__')) return null;
  return { ...before, [openArg]: open };
}

/** In arguments whose schema takes no such integers they are their digits, as texts. */
function withTexts(args: unknown, issues: readonly { readonly path: readonly PropertyKey[] }[]): unknown {
  const changed = { ...(args as Record<PropertyKey, unknown>) };
  for (const name of new Set(issues.flatMap(({ path }) => path.slice(0, 1)))) {
    if (hasBigIntegers(changed[name])) changed[name] = asSeenByPrograms(changed[name]);
  }
  return changed;
}

/** Calls the module within its time limit; a pure module cannot be interrupted and calls no service. */
export function callModule(call: ModuleCall, services: ModuleServices): Promise<Output> | Output {
  const { work, module, args } = call;
  if (module.effect === 'pure') return module.run(args, new CallContext(call, services, work.call.signal));
  return inContext(call, services, (context) => module.run(args, context));
}

/** The same for a starting module. */
export function callStarting(
  call: Omit<ModuleCall, 'module'> & { readonly module: StartingModule<unknown> },
  services: ModuleServices,
): Promise<StartResult> {
  const { module, args } = call;
  return inContext(call, services, (context) => module.start(args, context));
}

/** Does what a call does, within its time limit, while the play is certainly this worker's. */
export function inContext<T>(
  call: CallFacts,
  services: ModuleServices,
  act: (context: LayerContext) => Promise<T> | T,
): Promise<T> {
  return asOwner(call.work, (signal, clock) => act(new CallContext(call, services, signal, clock)));
}

function asOwner<T>(
  { call, timeoutMs }: PreparedCall,
  work: (signal: AbortSignal, clock: CallClock) => Promise<T> | T,
): Promise<T> {
  const start = () => withTimeLimit(timeoutMs, call.signal, work);
  const proof = call.proven?.() ?? true;
  return proof === true ? start() : proof.then((isOwner) => (isOwner ? start() : throwPlayLost()));
}
