/** When one of several runs is inserted: what comes before its insert may take longer than that of later ones. */
export interface InsertTurn {
  /** Resolves when the run before it has asked for its insert, or will not. */
  readonly before: Promise<void>;
  /** Lets the next one go; also for a run that is refused. */
  readonly passed: () => void;
}

/** The turns of runs whose inserts are to keep their order, in that order. */
export function insertTurns(count: number): InsertTurn[] {
  let before = Promise.resolve();
  return Array.from({ length: count }, () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const turn = { before, passed: () => resolve(undefined) };
    before = promise;
    return turn;
  });
}

/** A store that inserts a play when its turn has come. */
export function inTurn<Play, Accepted>(
  store: { readonly accept: (play: Play) => Promise<Accepted> },
  turn: InsertTurn,
): { readonly accept: (play: Play) => Promise<Accepted> } {
  return {
    accept: async (play) => {
      await turn.before;
      const accepted = store.accept(play);
      turn.passed();
      return accepted;
    },
  };
}
