import { LayerFailure } from '../../../layer-module.js';
import { saidIn } from '../../ai-chat/said-in.js';
import type { AnswerBuilder } from './answer-builder.js';

const MAX_SAID_CHARS = 500;

/** The failure of an answer in the middle of which the provider says that it cannot go on: the same request may be answered later. */
export function brokenOff(answer: AnswerBuilder, data: string): LayerFailure {
  const said = saidIn(data)?.said ?? 'it does not say why';
  return new LayerFailure(
    'connect_failed',
    `${answer.host} broke off its answer: ${answer.quoted(said, MAX_SAID_CHARS)}`,
  );
}
