import { waitFor, type LedgerServer } from '@weft/testing';

/** Faults of a running play: its `n`-th call to the outside is held while a fault is injected, and continues afterwards. */
export function pacedLedger(ledger: LedgerServer) {
  const gates = new Map<number, { readonly open: Promise<void>; readonly pass: () => void }>();
  const gateAt = (n: number) => {
    let gate = gates.get(n);
    if (!gate) {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.set(n, (gate = { open: promise, pass: resolve }));
    }
    return gate;
  };
  let calls = 0;
  ledger.answerWith(async () => {
    calls += 1;
    const nth = calls;
    await gates.get(nth)?.open;
    return { body: { nth } };
  });
  return {
    /** Name all of them before the play begins. */
    async atCall<T>(n: number, fault: () => Promise<T> | T): Promise<T> {
      const { pass } = gateAt(n);
      await waitFor(() => ledger.calls.length >= n, { what: `call ${n}`, withinMs: 60_000 });
      try {
        return await fault();
      } finally {
        pass();
      }
    },
  };
}
