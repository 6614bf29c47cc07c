import { CoalescingRunner } from '@weft/concurrency';
import type { PlayJob } from '@weft/contracts';
import { isFinal } from '@weft/contracts';
import { stopsLane, turnWrite, type OpenPlay, type PlayWrite } from '@weft/engine';
import {
  isTurnTaken,
  type FailedWrite,
  type FlowKey,
  type LaneKey,
  type LaneRepository,
  type OpenPlaysRepository,
  type TurnHolder,
} from '@weft/persistence';
import type { Doorbell } from './doorbell.js';
import type { WindowRoom } from './window-room.js';

export interface LaneKeeperDeps {
  readonly lanes: Pick<LaneRepository, 'holder' | 'next' | 'waitingRetryOf' | 'free' | 'passOn'>;
  readonly plays: Pick<OpenPlaysRepository, 'writeEach'>;
  /** A play of a limited flow joins the queue of its flow when it is its turn. */
  readonly gatekeeper: { readonly admit: (flow: FlowKey) => Promise<void> };
  readonly doorbell: Pick<Doorbell, 'ring'>;
  readonly windowRoom: Pick<WindowRoom, 'take' | 'giveBack'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Publishes what a write added to a play's journal. */
  readonly announce: (play: OpenPlay, write: PlayWrite) => void;
}

/** Handles a play whose turn could not be written. Throws: not now. */
type HandleRefused = (failed: readonly FailedWrite[]) => void | Promise<void>;

function leaveToScheduler(failed: readonly FailedWrite[]): void {
  for (const { error } of failed) throw error;
}

/** After this many plays that moved between the read and the write, the lane is left to the scheduler. */
const ATTEMPTS = 20;

/** `moved`: what was read is not so any more. */
type Outcome = 'done' | 'moved';

/**
 * Gives the turn of a lane to the next play, in the order of acceptance, when no play has it. Any number of keepers may do so in
 * parallel: the write of the turn is refused while another play has it (ADR 98). A keeper that dies after that write leaves a play
 * for which the reconciler rings, or one in the queue of its flow's gate.
 */
export class LaneKeeper {
  private readonly passes = new CoalescingRunner<string, LaneKey>();
  private handleRefused: HandleRefused = leaveToScheduler;

  constructor(private readonly deps: LaneKeeperDeps) {}

  /** Sets what handles a play whose turn could not be written. Default: it is left to the scheduler. */
  onRefused(handle: HandleRefused): void {
    this.handleRefused = handle;
  }

  /**
   * Lets the lane go on if it can. Called after a play has joined its queue, and after the play that had the turn has ended. Does
   * nothing while a play has the turn, or the lane has stopped.
   */
  async goOn(key: LaneKey): Promise<void> {
    await this.passes.run(`${key.companyId} ${key.lane}`, key, async (lane) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        if ((await this.pass(lane)) === 'done') return;
      }
    });
  }

  private async pass(key: LaneKey): Promise<Outcome> {
    const { lanes } = this.deps;
    const holder = await lanes.holder(key);
    if (holder && !isFinal(holder.state)) return 'done';
    if (holder && stopsLane(holder)) return this.passOn(key, holder);
    // of a play that failed
    if (holder && !(await lanes.free(holder))) return 'moved';
    const next = await lanes.next(key);
    return next ? this.giveTurn(next, (write) => this.write(next, write)) : 'done';
  }

  /** A stopped lane waits for a retry of the play at which it has stopped. */
  private async passOn(key: LaneKey, failed: TurnHolder): Promise<Outcome> {
    const { lanes } = this.deps;
    const retry = await lanes.waitingRetryOf(key, failed);
    if (!retry) return 'done';
    return this.giveTurn(retry, (write) => lanes.passOn(failed, retry, write));
  }

  /** @param store null: the play has moved · 'taken': another play has the turn */
  private async giveTurn(
    play: OpenPlay,
    store: (write: PlayWrite) => Promise<PlayJob | 'taken' | null>,
  ): Promise<Outcome> {
    const { windowRoom, doorbell, serverNow, announce, gatekeeper } = this.deps;
    const { _id: playId, company_id: companyId, flowId } = play;
    const askedAtMs = performance.now();
    const taken = await windowRoom.take(companyId, play.limited ? [] : [playId]);
    const hasRoom = taken.ids.has(playId);
    const write = turnWrite(play, new Date(serverNow()), hasRoom);
    const job = await store(write).catch((error: unknown) => {
      windowRoom.giveBack(companyId, taken);
      throw error;
    });
    if (job === null || job === 'taken') {
      windowRoom.giveBack(companyId, taken);
      return job === null ? 'moved' : 'done';
    }
    announce(play, write);
    if (play.limited) await gatekeeper.admit({ companyId, flowId });
    else if (hasRoom) await doorbell.ring([job], askedAtMs);
    return 'done';
  }

  private async write(play: OpenPlay, write: PlayWrite): Promise<PlayJob | 'taken' | null> {
    const { written, failed } = await this.deps.plays.writeEach([{ play, write }]);
    const [fault] = failed;
    if (!fault) return written[0] ?? null;
    if (isTurnTaken(fault.error)) return 'taken';
    await this.handleRefused(failed);
    return null;
  }
}
