import type { SourceAsk } from '../source.js';
import type { ListOptions } from './list-source.js';

const DEFAULT_SECONDS = 300;

export function listOptions({ trigger: { source }, cursors, signal }: SourceAsk): ListOptions {
  const { everySeconds = DEFAULT_SECONDS, start } = source ?? {};
  return { everyMs: everySeconds * 1_000, takesAll: start === 'earliest', cursors, signal };
}
