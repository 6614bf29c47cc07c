import type { OpenPlay } from '@weft/engine';

/** It is to be run, and nobody has begun: somebody has to be rung for. */
export function isUnowned(play: OpenPlay): boolean {
  return play.owner === undefined && (play.state === 'NEW' || play.state === 'RUN');
}
