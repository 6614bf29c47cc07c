/** What differs between providers: how a request is written, and how the events of the answer are read. Pure. */
import { isFields, parseJson, type Fields } from '@weft/kernel';
import type { Connection } from '../../../layer-module.js';
import type { AnswerBuilder } from './answer-builder.js';
import type { ChatRequest } from './port.js';

export interface Dialect {
  /** @throws LayerFailure `integration_unusable` */
  urlOf(link: Connection): string;
  readonly headers?: Readonly<Record<string, string>>;
  bodyOf(request: ChatRequest): object;
  /**
   * Reads one event.
   *
   * @param data as it was sent
   * @returns whether the answer has ended
   * @throws LayerFailure
   */
  read(data: string, answer: AnswerBuilder): boolean;
  /** Whether an answer that said why it stopped is whole, though the event that ends it is missing. */
  readonly mayEndEarly?: true;
}

/** The arguments of a call; null: the model wrote something that is not an object of JSON. */
export function argumentsIn(text: string): Fields | null {
  try {
    const value = parseJson(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}
