import type { PlayState } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { Tracing } from '@weft/observability';
import type { HandOut } from '@weft/queue';
import { expect, it } from 'vitest';
import { playScope } from './play-scope.js';

const play = { flowId: 'F', state: 'NEW', trace: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' } as Play;
const handOut = { job: { playId: 'P', companyId: 'C', epoch: 1 }, redelivered: false } as HandOut;

/** What a collector would get of a play that is in this state when its work ends. */
async function spanOf(
  state: PlayState | undefined,
): Promise<{ attributes: Readonly<Record<string, unknown>>; fault?: string }> {
  const seen: { attributes: Readonly<Record<string, unknown>>; fault?: string } = { attributes: {} };
  const span = {
    ...{ traceparent: '', traceId: '' },
    set: (attributes: Readonly<Record<string, unknown>>) => void Object.assign(seen.attributes, attributes),
    end: (fault?: string) => void (fault !== undefined && (seen.fault = fault)),
  };
  const tracing = new Tracing({ begin: () => span, close: () => Promise.resolve() });
  await playScope(tracing)(
    play,
    handOut,
    () => Promise.resolve('ended'),
    () => state,
  );
  return seen;
}

it('says the state in which a play is left, and that it failed', async () => {
  expect(await spanOf('FAIL')).toEqual({
    attributes: { 'weft.play.left': 'ended', 'weft.play.state': 'FAIL' },
    fault: 'play_failed',
  });
  expect(await spanOf('DONE')).toEqual({ attributes: { 'weft.play.left': 'ended', 'weft.play.state': 'DONE' } });
  expect((await spanOf(undefined)).attributes['weft.play.state']).toBe('NEW');
});
