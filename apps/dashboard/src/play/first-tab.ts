import type { PlayLayer } from './queries';

/** What is shown first of a layer: why it failed is in what it kept of the refused answer, and else in what it was given. */
export function firstTab({ error, out }: Pick<PlayLayer, 'error' | 'out'>): 'input' | 'output' {
  return error !== null && out == null ? 'input' : 'output';
}
