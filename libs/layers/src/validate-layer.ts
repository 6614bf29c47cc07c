import { faultOfRetryOn, type LayerDefinition } from '@weft/engine';
import type { FieldError } from '@weft/kernel';
import { readLayer, type LayerReading, type LayerTexts } from './layer-reading.js';
import { pagingOf } from './layer-module.js';
import { moduleOf } from './registry.js';
import { validateArgs } from './validate-args.js';

/** The fields of a layer that can be validated without its flow. */
export type LayerInput = LayerTexts & Pick<LayerDefinition, 'retry' | 'timeoutMs' | 'onInterrupted'>;

/**
 * Every fault of a layer by itself. Codes `unknown_app`, `invalid_expression`, `invalid_args`, and `invalid_options`
 * for two options that exclude each other; paths from the layer's root.
 */
export function validateLayer(layer: LayerInput): FieldError[] {
  const reading = readLayer(layer);
  const unreadable = reading.faults.map((fault) => ({ ...fault, code: 'invalid_expression' }));
  return [...validateArgs(layer, reading), ...unreadable, ...optionFaults(layer)];
}

function optionFaults({ appId, args, retry, forEach, repeat }: LayerInput): FieldError[] {
  const module = moduleOf(appId);
  const faults: FieldError[] = [];
  const refuse = (path: string, message: string) => faults.push({ path, code: 'invalid_options', message });
  if (retry && retry.maxDelayMs < retry.delayMs) {
    refuse('retry.maxDelayMs', `maxDelayMs must not be less than delayMs (${retry.delayMs})`);
  }
  retry?.on?.forEach((rule, i) => {
    const fault = faultOfRetryOn(rule);
    if (fault !== null) refuse(`retry.on.${i}`, fault);
  });
  if (module?.effect === 'park' || module?.effect === 'start') {
    if (forEach && module.effect === 'park')
      refuse('forEach', `a layer that waits (${appId}) cannot run once for each item`);
    if (retry) refuse('retry', `a layer that waits (${appId}) has no attempts to repeat`);
    if (repeat) refuse('repeat', `a layer that waits (${appId}) cannot run in rounds`);
  } else if (module?.effect === 'steps') {
    const each = (of: string) =>
      `a layer that works in steps (${appId}) cannot run ${of}: put it into a flow of its own`;
    if (forEach) refuse('forEach', each('once for each item'));
    if (repeat) refuse('repeat', each('in rounds'));
  } else if (module?.steer) {
    if (forEach) refuse('forEach', `${appId} decides on later layers and cannot do so once for each item`);
    if (repeat) refuse('repeat', `${appId} decides on later layers and cannot do so once for each round`);
  }
  if (repeat && forEach) refuse('repeat', `a layer runs once for each item or in rounds: leave out forEach or repeat`);
  const option = module && pagingOf(module)?.option;
  if (option !== undefined && isGiven(args, option)) {
    const other = forEach ? 'forEach' : repeat ? 'repeat' : null;
    if (other)
      refuse(`args.${option}`, `${option} and ${other} cannot be combined: put one of them into a flow of its own`);
  }
  return faults;
}

function isGiven(args: unknown, name: string): boolean {
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, name)) return false;
  const value = (args as Readonly<Record<string, unknown>>)[name];
  return value !== undefined && value !== null;
}

/**
 * Warnings: options without effect (code `no_effect`), an item that is read outside of a loop (`no_item`), and an argument that is
 * a list only when a filter finds several values (`not_always_a_list`).
 */
export function hintsOf(layer: LayerInput, { itemPaths, sequencePaths }: LayerReading): FieldError[] {
  const module = moduleOf(layer.appId);
  const hints: FieldError[] = [];
  const vain = (path: string, message: string) => hints.push({ path, code: 'no_effect', message });
  if (module && module.effect !== 'effect' && module.effect !== 'steps') {
    if (layer.onInterrupted === 'fail') {
      vain('onInterrupted', `${layer.appId} changes nothing outside: after a crash it is done again in any case`);
    }
    if (layer.timeoutMs !== null) {
      const why =
        module.effect === 'park' || module.effect === 'start'
          ? 'what it waits for has its own time limit in args'
          : 'it calls nobody';
      vain('timeoutMs', `${layer.appId} has no attempt to limit: ${why}`);
    }
  }
  if (module?.effect === 'pure' && layer.retry) {
    vain('retry', `${layer.appId} gives the same for the same arguments, and so fails again`);
  }
  const noItem = itemPaths.filter((path) => !layer.forEach || !path.startsWith('args'));
  const message = '$item and $index exist in the args of a layer with forEach only';
  const unsure = sequencePaths.map((path) => ({ path, code: 'not_always_a_list', message: NOT_ALWAYS }));
  return [...hints, ...noItem.map((path) => ({ path, code: 'no_item', message })), ...unsure];
}

const NOT_ALWAYS =
  'a list only when several values are found: one is given as itself, none is missing; write {{ [ … ] }} for a list, or […][0] for one value';

/** Layers of one stage must follow each other: code `stage_split`, one for each stage; paths `layers.<ref>.stage`. */
export function stageFaults(layers: readonly Pick<LayerDefinition, 'ref' | 'stage'>[]): FieldError[] {
  const ended = new Set<string>();
  const faults: FieldError[] = [];
  layers.forEach(({ ref, stage }, position) => {
    const before = layers[position - 1];
    if (before?.stage !== undefined && before.stage !== null && before.stage !== stage) ended.add(before.stage);
    if (stage === null || stage === before?.stage || !ended.has(stage)) return;
    const message = `the layers of stage "${stage}" must follow each other, and "${before?.ref}" stands before "${ref}"`;
    faults.push({ path: `layers.${ref}.stage`, code: 'stage_split', message });
  });
  return faults;
}
