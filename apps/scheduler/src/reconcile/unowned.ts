import type { OpenPlay } from '@weft/engine';

/** The play is ready to run and no worker has started it: it needs a ring, and does not wait for room in its window. */
export function isUnowned(play: OpenPlay): boolean {
  return play.owner === undefined && play.ready === undefined && (play.state === 'NEW' || play.state === 'RUN');
}
