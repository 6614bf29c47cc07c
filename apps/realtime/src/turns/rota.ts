import { CompanyLine } from './company-line.js';

/** What one reader gets before the next one does. */
export const PORTION_BYTES = 16 * 1024;
/** After so much the event loop goes round: reads, pings and upgrades come in between. */
const ROUND_BYTES = 256 * 1024;
/** A message takes time of its own, besides its bytes: about that of so many. */
export const MESSAGE_COST = 1_024;
/** So does one that the reader does not want, or may not see. */
export const LOOK_COST = 64;

/** What a reader may cost until the next one has its turn, in bytes; it may overdraw by one message. */
export interface Allowance {
  left: number;
}

/** Somebody with something to send. */
export interface Sending {
  readonly companyId: string;
  /** @returns whether it stopped for the allowance alone, and wants another turn */
  sendSome(allowance: Allowance): boolean;
}

/**
 * Who sends next, of all readers of this process. Companies take turns, in each its readers do, and a turn is a portion of
 * some KB: so however much there is to say to however many, a message waits for one portion of each company that
 * has something to say, and not for all that a company has. Whoever is asked for while little was sent sends at once.
 */
export class Rota {
  private readonly line = new CompanyLine<Sending>();
  private spent = 0;
  private armed = false;
  private running = false;
  private readonly allowance: Allowance = { left: 0 };

  constructor(private readonly roundBytes = ROUND_BYTES) {}

  /** They have something to send: as much as there is time for at once. */
  want(sendings: Iterable<Sending>): void {
    for (const one of sendings) this.line.add(one.companyId, one);
    this.run();
  }

  /** Resolves when it is the company's turn: its caller may then send `PORTION_BYTES`. */
  turn(companyId: string): Promise<void> {
    return new Promise((resolve) => {
      const sendSome = (allowance: Allowance): boolean => {
        allowance.left = 0;
        resolve();
        return false;
      };
      this.want([{ companyId, sendSome }]);
    });
  }

  private run(): void {
    if (this.running) return;
    this.running = true;
    try {
      while (this.spent < this.roundBytes) {
        const next = this.line.shift();
        if (!next) break;
        this.serve(next.item);
      }
    } finally {
      this.running = false;
      if (this.spent > 0 || this.line.size > 0) this.goRound();
    }
  }

  private serve(one: Sending): void {
    const { allowance } = this;
    allowance.left = PORTION_BYTES;
    if (one.sendSome(allowance)) this.line.add(one.companyId, one);
    this.spent += PORTION_BYTES - allowance.left;
  }

  /** What was sent up to then is behind us. */
  private goRound(): void {
    if (this.armed) return;
    this.armed = true;
    setImmediate(() => {
      this.armed = false;
      this.spent = 0;
      this.run();
    });
  }
}
