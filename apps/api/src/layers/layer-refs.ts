/**
 * Whether a layer's arguments make sense: by themselves (the module's schema, readable expressions), and among the other
 * layers (references to outputs that are there by then). The first is refused at once, the second only warned of, because a
 * flow is built in any order; a flow whose references lead nowhere cannot be enabled.
 */
import type { Warning } from '@weft/contracts';
import type { LayerDefinition } from '@weft/engine';
import { compile, ExpressionSyntaxError, nearestNames, type LayerReference } from '@weft/expressions';
import { WeftError } from '@weft/kernel';
import { validateArgs } from '@weft/layers';

/** @throws WeftError `unknown_app`, `invalid_expression`, `invalid_args` */
export function assertArgs(layer: Pick<LayerDefinition, 'appId' | 'args'>): void {
  const { errors } = validateArgs(layer.appId, layer.args);
  const first = errors[0];
  if (!first) return;
  throw new WeftError(codeOf(errors.map((error) => error.code)), `${first.message}.`, { errors });
}

/** What is doubtful about the references of each layer, by layer id. Layers without a warning are left out. */
export function warningsOf(layers: readonly LayerDefinition[]): ReadonlyMap<string, readonly Warning[]> {
  const all = new Map(layers.map((layer, position) => [layer.ref, position]));
  const warnings = new Map<string, Warning[]>();
  layers.forEach((layer, position) => {
    const found = refsOf(layer).flatMap((reference) => warningOf(reference, position, all) ?? []);
    if (found.length > 0) warnings.set(layer.id, found);
  });
  return warnings;
}

/** @throws WeftError `unresolved_refs`, naming all of them */
export function assertRefsResolved(layers: readonly LayerDefinition[]): void {
  const warnings = warningsOf(layers);
  const errors = layers.flatMap((layer) =>
    (warnings.get(layer.id) ?? []).map((warning) => ({ ...warning, path: `layers.${layer.ref}.${warning.path}` })),
  );
  if (errors.length > 0) {
    const detail = 'The flow cannot be enabled while expressions read layers that do not exist or come later.';
    throw new WeftError('unresolved_refs', detail, { errors });
  }
}

function refsOf(layer: LayerDefinition): readonly LayerReference[] {
  try {
    return compile(layer.args).refs;
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) return []; // an older version took it; running it will tell
    throw error;
  }
}

function warningOf(
  { path, ref }: LayerReference,
  position: number,
  all: ReadonlyMap<string, number>,
): Warning | undefined {
  const at = all.get(ref);
  if (at !== undefined && at < position) return undefined;
  const where = path === '' ? 'args' : `args.${path}`;
  if (at === position) return { path: where, code: 'own_ref', message: `a layer cannot read its own output (${ref})` };
  if (at !== undefined) return { path: where, code: 'later_ref', message: `the layer "${ref}" comes later` };
  const near = nearestNames(ref, [...all.keys()]);
  const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
  return { path: where, code: 'unknown_ref', message: `no layer has the ref "${ref}"${hint}` };
}

const CODES = ['unknown_app', 'invalid_expression'] as const;

function codeOf(codes: readonly string[]): (typeof CODES)[number] | 'invalid_args' {
  return CODES.find((code) => codes.includes(code)) ?? 'invalid_args';
}
