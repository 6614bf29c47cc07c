import type { LayerDefinition } from '@weft/engine';
import type { CreateLayerBody, UpdateLayerBody } from './layer.requests.js';

/** How a layer is run, as opposed to what it does. */
export type LayerOptions = Pick<
  LayerDefinition,
  'when' | 'retry' | 'timeoutMs' | 'onError' | 'onInterrupted' | 'forEach' | 'repeat' | 'stage'
>;

export const NO_OPTIONS: LayerOptions = {
  when: null,
  retry: null,
  timeoutMs: null,
  onError: 'fail',
  onInterrupted: 'repeat',
  forEach: null,
  stage: null,
};

const DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

/** Fields that a request omits stay unchanged; retry, forEach and repeat are replaced as a whole. */
export function withOptions(present: LayerOptions, body: CreateLayerBody | UpdateLayerBody): LayerOptions {
  const repeat = body.repeat === undefined ? present.repeat : body.repeat && repeatOf(body.repeat);
  return {
    when: body.when === undefined ? present.when : body.when,
    retry: body.retry === undefined ? present.retry : body.retry && retryOf(body.retry),
    timeoutMs: body.timeoutMs === undefined ? present.timeoutMs : body.timeoutMs,
    onError: body.onError ?? present.onError,
    onInterrupted: body.onInterrupted ?? present.onInterrupted,
    forEach: body.forEach === undefined ? present.forEach : body.forEach && forEachOf(body.forEach),
    // left out where a layer does not repeat
    ...(repeat && { repeat }),
    stage: body.stage === undefined ? present.stage : body.stage,
  };
}

/** What holds anyway is left out. */
export function forEachOf({
  in: list,
  concurrency = 1,
  onItemError,
}: NonNullable<CreateLayerBody['forEach']>): NonNullable<LayerOptions['forEach']> {
  return { in: list, concurrency, ...(onItemError === 'collect' && { onItemError }) };
}

const ROUNDS = 100;

export function repeatOf({
  until,
  max = ROUNDS,
  delayMs = 0,
}: NonNullable<CreateLayerBody['repeat']>): NonNullable<LayerOptions['repeat']> {
  return { until, max, delayMs };
}

/** With what holds for a field that is left out. */
export function retryOf({
  attempts,
  backoff = 'exponential',
  delayMs = DELAY_MS,
  maxDelayMs = Math.max(delayMs, MAX_DELAY_MS),
  on,
}: NonNullable<CreateLayerBody['retry']>): NonNullable<LayerOptions['retry']> {
  return { attempts, backoff, delayMs, maxDelayMs, ...(on && { on }) };
}
