import { planLayers, type FlowVersion, type LayerDefinition, type LayerKind, type LayerPlan } from '@weft/engine';
import {
  compileCondition,
  compileWhole,
  REPEAT_VARIABLES,
  type CompiledValue,
  type RichExpression,
} from '@weft/expressions';
import { approval } from '../modules/approval/approval.layer.js';
import { waitEvent } from '../modules/wait-event/wait-event.layer.js';
import { compileArgs, compilePaging, compileProgram, type CompiledPaging } from '../compiled-args.js';
import { NO_FACES, type Face, type FaceFault, type Faces } from '../face.js';
import type { LayerModule } from '../layer-module.js';
import { faceKeyOf } from '../named-faces.js';
import { moduleOf } from '../registry.js';
import type { JsonRead } from '../stored/json-paths.js';

/** A layer, ready to run: its module, and its expressions compiled once. */
export interface PreparedLayer {
  readonly definition: LayerDefinition;
  /** Undefined when this process does not know the appId: the layer FAILs with `unknown_app`. */
  readonly module: LayerModule<unknown> | undefined;
  /** What its arguments name that the company has of its own. */
  readonly face?: Face | FaceFault;
  readonly args: CompiledValue;
  readonly when: CompiledValue | null;
  /** Of `forEach.in`. */
  readonly items: CompiledValue | null;
  /** The expressions by which the module goes from page to page; null: it makes one call. */
  readonly paging: CompiledPaging | null;
  /** Of `repeat.until`. */
  readonly until: CompiledValue | null;
  /** The layers whose outputs any of these reads, each once, and which parts. */
  readonly reads: readonly LayerRead[];
  /** The layers whose errors any of these reads. */
  readonly readsErrors: readonly string[];
  /** Whether any of these may read the args of the play. */
  readonly readsArgs: boolean;
}

/** What a layer's expressions read of the output of another layer. */
export interface LayerRead {
  readonly ref: string;
  readonly paths: readonly JsonRead[];
}

/** An approval layer, and the approvers that its definition names without an expression. */
export interface PreparedApproval {
  readonly ref: string;
  readonly approvers: readonly string[];
}

/** Which decision a link is for; `approver` null: whoever holds the link may decide. */
export interface ApprovalPlace {
  readonly companyId: string;
  readonly playId: string;
  readonly ref: string;
  readonly approver: string | null;
}

/** Which wait for an event a call-back ends, in whichever play of a chain. */
export interface CallBackPlace {
  readonly companyId: string;
  readonly firstPlayId: string;
  readonly ref: string;
}

/** A version of a flow, ready to run; immutable like the version. */
export interface PreparedVersion {
  readonly version: FlowVersion;
  readonly companyName: string;
  readonly layers: readonly PreparedLayer[];
  readonly plan: readonly LayerPlan[];
  readonly approvals: readonly PreparedApproval[];
  /** The refs of its layers that wait for events. */
  readonly events: readonly string[];
  readonly playUrl: (place: ApprovalPlace | CallBackPlace) => string;
  /** What its layers name that the company has of its own. */
  readonly faces: Faces;
}

/**
 * @param playUrl makes the links of approvals and the addresses for call-backs; without it they are invalid
 * @param faces those that `faceKeysOf` names
 * @throws ExpressionSyntaxError when the version was stored without `validateLayer`
 */
export function prepareVersion(
  version: FlowVersion,
  companyName: string,
  playUrl: PreparedVersion['playUrl'] = ({ ref }) => `link:${ref}`,
  faces: Faces = NO_FACES,
): PreparedVersion {
  const plan = planLayers(
    version.layers,
    (appId) => kindOf(moduleOf(appId)),
    ({ appId, args }) => moduleOf(appId)?.isNeverRepeated?.(args) ?? false,
    (appId) => moduleOf(appId)?.effect === 'steps',
  );
  const approvals = version.layers.flatMap(prepareApproval);
  const layers = version.layers.map((layer) => prepareLayer(layer, faces));
  const events = version.layers.flatMap(({ appId, ref }) => (appId === waitEvent.appId ? [ref] : []));
  return { version, companyName, layers, plan, approvals, events, playUrl, faces };
}

function kindOf(module: LayerModule<unknown> | undefined): LayerKind | undefined {
  return module?.effect === 'steps' ? 'effect' : module?.effect;
}

function prepareApproval({ appId, ref, args }: LayerDefinition): PreparedApproval[] {
  if (appId !== approval.appId) return [];
  const named = Array.isArray(args.approvers) ? (args.approvers as readonly unknown[]) : [];
  const approvers = named.filter((one): one is string => typeof one === 'string' && !one.includes('{{'));
  return [{ ref, approvers }];
}

function prepareLayer(definition: LayerDefinition, faces: Faces): PreparedLayer {
  const module = moduleOf(definition.appId);
  const { repeat } = definition;
  const variables = repeat ? REPEAT_VARIABLES : undefined;
  const args = compileArgs(module, definition.args, undefined, variables);
  const program = compileProgram(module, definition.args, undefined, variables);
  const when = definition.when === null ? null : compileCondition(definition.when);
  const items = definition.forEach === null ? null : compileWhole(definition.forEach.in);
  const paging = compilePaging(module, definition.args);
  const until = repeat ? compileCondition(repeat.until, undefined, variables) : null;
  const face = faces.get(faceKeyOf(definition) ?? '');
  const others = [when, items, until, ...(paging?.values() ?? [])];
  return {
    definition,
    module,
    ...(face && { face }),
    args,
    when,
    items,
    paging,
    until,
    reads: readsOf([args, ...others], program),
    readsErrors: errorsReadBy([args, ...others], program),
    readsArgs:
      !args.constant ||
      others.some((value) => value !== null) ||
      (program?.reads.some(({ root }) => root === 'args') ?? false),
  };
}

function errorsReadBy(compiled: readonly (CompiledValue | null)[], program: RichExpression | null): string[] {
  const inValues = compiled.flatMap((value) => value?.refs ?? []).filter(({ ofError }) => ofError);
  const inProgram = program?.reads.filter(({ root }) => root === 'errors') ?? [];
  return [...new Set([...inValues, ...inProgram].map(({ ref }) => ref))];
}

function readsOf(compiled: readonly (CompiledValue | null)[], program: RichExpression | null): LayerRead[] {
  const plain = compiled.flatMap((value) => value?.refs ?? []);
  const rich = [...compiled.flatMap((value) => value?.rich ?? []), ...(program ? [program] : [])];
  const reads = [
    ...plain.flatMap(({ ref, steps }) => (steps ? [{ ref, path: { steps, throughLists: false } }] : [])),
    ...rich.flatMap((expression) =>
      expression.reads.flatMap(({ root, ref, steps }) =>
        root === 'layer' ? [{ ref, path: { steps, throughLists: true } }] : [],
      ),
    ),
  ];
  return [...Map.groupBy(reads, ({ ref }) => ref)].map(([ref, of]) => ({ ref, paths: of.map(({ path }) => path) }));
}
