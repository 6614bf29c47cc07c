import { isPauseOfGate, type CallGate, type GateAnswer, type GateAsk } from '../call/call-gate.js';

/**
 * The gate for the items of one loop. They ask it one after another for each destination, and after one that has to
 * pause none asks any more: so a loop takes one turn of those that wait, however many items it runs at once.
 */
export class LoopGate implements CallGate {
  /** False from when the loop cannot be left for later: what it has done is not stored. */
  mayPause = true;
  private asking = new Map<string, Promise<GateAnswer>>();

  /** @param kept the destination for which the loop has paused: the first call of it has its turn */
  constructor(
    private readonly gate: CallGate,
    private kept: string | undefined,
  ) {}

  enter(ask: GateAsk): GateAnswer | Promise<GateAnswer> {
    if (!ask.mayPause) return this.gate.enter({ ...ask, hasPaused: false });
    const before = this.asking.get(ask.destination);
    const entered = before ? this.after(before, ask) : this.ask(ask);
    if (entered instanceof Promise) this.asking.set(ask.destination, entered);
    return entered;
  }

  /** After a pause the loop stays in its place. */
  stay(): void {
    this.mayPause = false;
    this.asking = new Map();
  }

  private async after(before: Promise<GateAnswer>, ask: GateAsk): Promise<GateAnswer> {
    const answer = await before.catch(() => null);
    return isPauseOfGate(answer) ? answer : this.ask(ask);
  }

  private ask(ask: GateAsk): GateAnswer | Promise<GateAnswer> {
    const hasPaused = this.kept === ask.destination;
    if (hasPaused) this.kept = undefined;
    return this.gate.enter({ ...ask, hasPaused, mayPause: this.mayPause });
  }
}
