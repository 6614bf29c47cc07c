import { LayerFailure } from '../../../layer-module.js';
import { saidIn } from '../../ai-chat/said-in.js';
import type { AnswerBuilder } from './answer-builder.js';

/** The failure of an answer in the middle of which the provider says that it cannot go on: the same request may be answered later. */
export function brokenOff(answer: AnswerBuilder, data: string): LayerFailure {
  const said = saidIn(data)?.said ?? 'it does not say why';
  return new LayerFailure(
    'connect_failed',
    `${answer.host} broke off its answer: ${said.slice(0, 500).toWellFormed()}`,
  );
}
