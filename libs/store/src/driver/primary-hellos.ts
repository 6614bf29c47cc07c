/** What a server says of itself when it is asked, as far as its clock is concerned. */
export interface Hello {
  readonly localTime?: Date;
  /** A member of a replica set that takes writes, or a router. */
  readonly isWritablePrimary?: boolean;
  /** The same, in the words of older servers. */
  readonly ismaster?: boolean;
  /** Of the election that made it the primary: a later one's is greater. Routers have none. */
  readonly electionId?: { toString(): string };
}

const NO_ELECTION = '';

/**
 * Which servers' clocks count: that of the primary, since it is the one that puts times into documents. The clocks of the
 * other members, and of one that was the primary and does not know yet that another is, may show anything.
 */
export class PrimaryHellos {
  private election: string | null = null;

  /** @returns its time, epoch ms, and whether it is another server's than before; null when it does not count */
  read(hello: Hello | undefined): { readonly timeMs: number; readonly isAnother: boolean } | null {
    if (!hello?.localTime || !(hello.isWritablePrimary ?? hello.ismaster)) return null;
    const election = hello.electionId?.toString() ?? NO_ELECTION;
    const known = this.election;
    if (known !== null && election < known) return null;
    this.election = election;
    return { timeMs: hello.localTime.getTime(), isAnother: known !== null && known !== election };
  }
}
