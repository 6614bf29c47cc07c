/** Test only. Engines without a rule about the plays that layers start and wait for. */
import { broken, one, type BrokenRule } from './broken-rule.js';
import { ENGINE } from './engine-under-test.js';

export const BROKEN_CHILDREN: readonly BrokenRule[] = [
  broken('nobody looks after a layer waits for a play', { layersWaitingForPlays: () => [] }, one('s', {})),
  broken(
    'a layer that waits for a play is not looked at again after a hold',
    {
      layersWaitingForPlays: (done) => (done.write.set.waits ? ENGINE.layersWaitingForPlays(done) : []),
    },
    one('s', { hold: 1, release: 1 }),
  ),
  broken('the end of a play is forgotten before its layer is set going', { forgetsEnds: () => true }, one('s', {})),
  broken(
    'that a layer was set going is overlooked when the play is read again',
    {
      onWriteRefused: (session, purpose, fresh) => ({
        ...ENGINE.onWriteRefused(session, purpose, fresh),
        waits: session.waits,
      }),
    },
    one('sE', {}),
  ),
];
