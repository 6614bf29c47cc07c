import type { LedgerAnswer, LedgerCall, LedgerServer } from '@weft/testing';

/** A call that stays with the peer. */
export interface HeldCall {
  /** The call has come. */
  readonly begun: Promise<void>;
  /** It ends. */
  end(): void;
}

/** A peer that counts at `/shelves/<shelf>/count`, once for each idempotency key, and refuses lower tokens than it has seen. */
export interface FencedPeer {
  /** Holds the next call for this shelf, once that is counted or before. */
  hold(shelf: string, when: 'before it is counted' | 'once it is counted'): HeldCall;
  /** How many different calls were counted. */
  counted(shelf: string): number;
  /** Calls that came while another play was at the same shelf. */
  readonly overlaps: readonly string[];
  /** Calls that were refused for their token. */
  readonly refused: readonly string[];
}

interface Holding {
  readonly isCounted: boolean;
  readonly begin: () => void;
  readonly ended: Promise<void>;
}

export function fencedPeer(ledger: LedgerServer): FencedPeer {
  const keys = new Map<string, Set<string>>();
  const highest = new Map<string, number>();
  const holdings = new Map<string, Holding>();
  const inside = new Set<{ readonly shelf: string; readonly key: string }>();
  const [overlaps, refused]: [string[], string[]] = [[], []];

  async function answer({ path, headers, idempotencyKey }: LedgerCall): Promise<LedgerAnswer> {
    const shelf = path.split('/')[2] ?? '';
    const [call, token] = [{ shelf, key: idempotencyKey ?? '' }, Number(headers['x-fencing-token'])];
    if (!(token >= (highest.get(shelf) ?? 0))) {
      refused.push(shelf);
      return { status: 409, body: { error: 'an older token' } };
    }
    highest.set(shelf, token);
    for (const other of inside) if (other.shelf === shelf && other.key !== call.key) overlaps.push(shelf);
    inside.add(call);
    const holding = holdings.get(shelf);
    holdings.delete(shelf);
    const count = () => keys.set(shelf, (keys.get(shelf) ?? new Set()).add(call.key));
    if (!holding || holding.isCounted) count();
    holding?.begin();
    await holding?.ended;
    inside.delete(call);
    return { status: 201, body: {} };
  }

  ledger.answerWith(answer);
  return {
    overlaps,
    refused,
    counted: (shelf) => keys.get(shelf)?.size ?? 0,
    hold: (shelf, when) => {
      const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holdings.set(shelf, { isCounted: when === 'once it is counted', begin: begun.resolve, ended: ended.promise });
      return { begun: begun.promise, end: ended.resolve };
    },
  };
}
