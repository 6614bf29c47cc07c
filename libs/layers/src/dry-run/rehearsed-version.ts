/** A version whose layers have no effects: a layer that would call a service, or wait, gives its fixture instead. */
import type { FlowVersion } from '@weft/engine';
import { compile } from '@weft/expressions';
import { z } from 'zod';
import type { Faces } from '../face.js';
import { failureIn } from './failing-fixture.js';
import { replayIn } from './replaying-fixture.js';
import { replaySteps, UnrecordedStep } from './replay-steps.js';
import { LayerFailure, type LayerContext, type LayerModule, type Output, type WorkingModule } from '../layer-module.js';
import { invalidArgs, MISSING_FIXTURE } from '../call/failure.js';
import type { LayerEnd } from '../call/layer-runner.js';
import { prepareVersion, type PreparedLayer, type PreparedVersion } from '../call/prepared-version.js';

/** Whether the layer ended because no output was given for it. */
export function isMissing({ outcome }: LayerEnd): boolean {
  return outcome.kind === 'result' && outcome.result.error?.code === MISSING_FIXTURE;
}

/** The play continues without its output. */
export function asSkipped(end: LayerEnd): LayerEnd {
  if (end.outcome.kind !== 'result') return end;
  const { error: _error, ...result } = end.outcome.result;
  return { outcome: { kind: 'result', result: { ...result, state: 'SKIP', attempts: 0 } }, out: null };
}

export function missingFixture(ref: string): LayerFailure {
  return new LayerFailure(MISSING_FIXTURE, `there is no fixture for "${ref}"`);
}

export interface Fixtures {
  /**
   * By ref: the whole output, for a layer with `forEach` a list, with `repeat` that of the last round; or the failure, see `failureIn`;
   * or recorded steps, see `replayIn`.
   */
  readonly outs: Readonly<Record<string, unknown>>;
  /**
   * Names those that are missing. A layer that reads the output of such a layer finds null, and is not checked against its schema.
   */
  readonly missing: string[];
}

export function rehearse(
  version: FlowVersion,
  companyName: string,
  fixtures: Fixtures,
  faces?: Faces,
): PreparedVersion {
  return withStandIns(version, companyName, (layer) => rehearseLayer(layer, fixtures, faces), undefined, faces);
}

/** The version with other layers in the place of its own, none of which reaches outside. */
export function withStandIns(
  version: FlowVersion,
  companyName: string,
  replace: (layer: PreparedLayer) => PreparedLayer,
  playUrl?: PreparedVersion['playUrl'],
  faces?: Faces,
): PreparedVersion {
  // no retries: the user wants to see the failure
  const layers = version.layers.map((layer) => ({
    ...layer,
    retry: null,
    onInterrupted: 'repeat' as const,
    ...(layer.repeat && { repeat: { ...layer.repeat, delayMs: 0 } }),
  }));
  const prepared = prepareVersion({ ...version, layers }, companyName, playUrl, faces);
  return {
    ...prepared,
    layers: prepared.layers.map(replace),
    plan: prepared.plan.map((plan) => ({ ...plan, kind: 'pure', once: false })),
  };
}

function rehearseLayer(layer: PreparedLayer, fixtures: Fixtures, faces: Faces | undefined): PreparedLayer {
  const { module, items } = layer;
  const { ref } = layer.definition;
  const has = Object.hasOwn(fixtures.outs, ref);
  if (!module || (module.effect === 'pure' && !has)) return layer;
  const isIncomplete = () => fixtures.missing.length > 0;
  const lacks = (name: string): LayerFailure => {
    fixtures.missing.push(name);
    return missingFixture(name);
  };
  const give = (): Output => {
    if (!has) throw lacks(ref);
    const failure = failureIn(fixtures.outs[ref], ref);
    if (failure) throw failure;
    return fixtures.outs[ref] as Output;
  };
  // the fixture of a loop, of rounds or of pages is the output as a whole, while the arguments are those of one call
  if (items || layer.until)
    return { ...layer, items: null, until: null, args: compile({}), module: standIn(module, give) };
  const records = module.effect === 'steps' ? replayIn(fixtures.outs[ref], module, ref) : null;
  const checkAndGive = (args: unknown, context: LayerContext): Output | Promise<Output> => {
    const { error, data } = module.argsSchema.safeParse(args);
    if (error && !isIncomplete()) throw invalidArgs(error, module.argsSchema, args);
    if (!error && layer.face && !isIncomplete()) module.bind?.(data, layer.face);
    if (!records || module.effect !== 'steps') return give();
    // what it is asked depends on an output that is missing
    if (error) throw lacks(ref);
    if (records instanceof LayerFailure) throw records;
    const bound: unknown = module.bind ? module.bind(data, layer.face, faces) : data;
    return replaySteps(module, bound, { records }, context).catch((reason: unknown) => {
      throw reason instanceof UnrecordedStep ? lacks(`${ref}.${reason.what}`) : reason;
    });
  };
  return { ...layer, paging: null, module: standIn(module, checkAndGive) };
}

export function standIn(module: LayerModule<unknown>, run: WorkingModule<unknown>['run']): WorkingModule<unknown> {
  const { appId, title, description, icon, argsSchema, outSchema, examples } = module;
  const steers = 'steer' in module && module.steer !== undefined;
  return {
    appId,
    title,
    description,
    icon,
    outSchema,
    examples,
    effect: 'pure',
    argsSchema: z.unknown(),
    run,
    ...(steers && {
      steer(args: unknown, out: Output) {
        const parsed = argsSchema.safeParse(args);
        return parsed.success ? module.steer?.(parsed.data, out) : undefined;
      },
    }),
  };
}
