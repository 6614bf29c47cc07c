import type { LedgerAnswer, LedgerCall, LedgerServer } from '@weft/testing';

type Answer = (call: LedgerCall) => LedgerAnswer;

/** A peer whose paths misbehave before they answer as they should. */
export interface MisbehavingPeer {
  /** @param first answers of the path, each given once; `lost`: the peer does what it is asked, and cuts the connection */
  serve(path: string, first: readonly Misbehaviour[], answer: Answer): void;
}

export type Misbehaviour = 'busy' | 'broken' | 'slow' | 'lost';

/** Longer than the layers of these flows wait that have a time limit of their own. */
const SLOW_MS = 1_200;

const WRONG: Readonly<Record<Misbehaviour, LedgerAnswer>> = {
  busy: { status: 429, headers: { 'retry-after': '1' }, body: { error: 'slow down' } },
  broken: { status: 500, body: 'oops' },
  slow: { delayMs: SLOW_MS },
  lost: { hangUp: true },
};

export function misbehavingPeer(ledger: Pick<LedgerServer, 'answerWith'>): MisbehavingPeer {
  const served: { path: string; left: Misbehaviour[]; answer: Answer }[] = [];
  ledger.answerWith((call) => {
    const way = served.find(({ path }) => call.path.startsWith(path));
    if (!way) return { status: 404, body: { error: `nothing answers at ${call.path}` } };
    const wrong = way.left.shift();
    const right = way.answer(call);
    if (wrong === undefined) return right;
    return wrong === 'slow' ? { ...right, ...WRONG.slow } : WRONG[wrong];
  });
  return {
    serve: (path, first, answer) => {
      served.unshift({ path, left: [...first], answer });
    },
  };
}
