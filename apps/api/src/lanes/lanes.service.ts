import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { isFinal } from '@weft/contracts';
import { laneFault, stopsLane, type Command, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { LOG, warnRarely } from '@weft/observability';
import {
  LaneReads,
  LaneRepository,
  Mongo,
  PLAYS,
  PlayReadsRepository,
  TenantScope,
  type AuditEntryInput,
  type ShownHolder,
} from '@weft/persistence';
import { LaneKeeper } from '@weft/queue';
import { PlayCommands } from '@weft/runs';
import type { Logger } from 'pino';
import { actorEntry, type Actor } from '../audit/actor-entry.js';
import { PlayRights } from '../plays/play-rights.js';
import { toLaneView, type LaneView } from './lane.view.js';

/** Of the plays that wait. */
const SHOWN = 50;
const ATTEMPTS = 10;

/** Lanes of the caller's company. A lane is there as long as it has plays; its name is the caller's own. */
@Injectable()
export class LanesService {
  private readonly reads: LaneReads;
  private readonly onFault: (error: unknown) => void;

  constructor(
    @Inject(LOG) log: Logger,
    mongo: Mongo,
    private readonly lanes: LaneRepository,
    private readonly keeper: LaneKeeper,
    private readonly plays: PlayReadsRepository,
    private readonly commands: PlayCommands,
    private readonly rights: PlayRights,
  ) {
    this.reads = new LaneReads(mongo);
    this.onFault = warnRarely(log, 'lanes', 'could not let a lane go on after a skip: the scheduler will');
  }

  /** @throws WeftError `not_found`: nothing can have this name */
  async read(caller: Principal, lane: string): Promise<LaneView> {
    assertName(lane);
    const scope = new TenantScope(caller.companyId);
    const now = await this.reads.now(scope, lane, SHOWN);
    const holder = turnHolder(now.holder);
    const readable = await this.rights.permitted(caller, 'read', [...(holder ? [holder] : []), ...now.next]);
    return toLaneView({ ...now, lane, holder }, new Set(readable.map(({ _id }) => _id)));
  }

  /**
   * Lets the lane go on past the play that has the turn.
   *
   * @param playId only if it is that play
   * @throws WeftError `not_found`, `denied`, `nothing_to_skip`, `illegal_move`
   */
  async skip(actor: Actor, lane: string, playId?: string): Promise<LaneView> {
    assertName(lane);
    // the one that the caller means: whoever has the turn after it is not skipped in its place
    let skipped = playId;
    const { companyId } = actor.caller;
    const scope = new TenantScope(companyId);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const holder = (await this.holder(scope, lane)) ?? (await this.nextHolder(scope, lane));
      if (!holder) throw nothingToSkip(`No play has the turn of the lane "${lane}".`);
      skipped ??= holder._id;
      if (holder._id !== skipped)
        throw nothingToSkip(`The play ${skipped} does not have the turn of the lane "${lane}" (any more).`);
      await this.rights.assertMay(actor.caller, 'skip', holder);
      if (!(await this.skipHolder(actor, holder))) continue;
      await this.keeper.goOn({ companyId, lane }).catch(this.onFault);
      return this.read(actor.caller, lane);
    }
    throw new WeftError('illegal_move', 'The lane keeps changing. Try again.');
  }

  /** False: it has the turn no more. */
  private async skipHolder(actor: Actor, holder: ShownHolder): Promise<boolean> {
    const entry = entryOf(actor, holder);
    if (isFinal(holder.state)) return this.lanes.freeAudited(holder, entry);
    const message = `The play was skipped in its lane by the user ${actor.caller.userId}.`;
    const command: Command = { kind: 'cancel', error: { code: 'cancelled', message, ref: null }, skipsLane: true };
    const scope = new TenantScope(holder.company_id);
    const applied = await this.commands.apply<Play>({
      read: () => this.plays.findWithLayers(scope, holder._id),
      order: (play) => (play?.laneTurn && !isFinal(play.state) ? { play, command, entry } : null),
    });
    return applied.kind === 'written';
  }

  private async holder(scope: TenantScope, lane: string): Promise<ShownHolder | null> {
    return turnHolder(await this.reads.holder(scope, lane));
  }

  /** Between two turns. */
  private async nextHolder(scope: TenantScope, lane: string): Promise<ShownHolder | null> {
    await this.keeper.goOn({ companyId: scope.companyId, lane });
    return this.holder(scope, lane);
  }
}

/** One that has ended and does not stop the lane is on its way out. */
function turnHolder(holder: ShownHolder | null): ShownHolder | null {
  return holder && isFinal(holder.state) && !stopsLane(holder) ? null : holder;
}

/** @throws WeftError `not_found` */
function assertName(lane: string): void {
  const fault = laneFault(lane);
  if (fault !== null) throw new WeftError('not_found', `There is no such lane: ${fault}.`);
}

function nothingToSkip(message: string): WeftError {
  return new WeftError('nothing_to_skip', message);
}

function entryOf(actor: Actor, { _id, lane = '', state }: ShownHolder): AuditEntryInput {
  const subject = { collection: PLAYS, resource_type: 'lane', resource_id: lane };
  const changes = {
    playId: { before: _id, after: null },
    state: { before: state, after: isFinal(state) ? state : 'FAIL' },
  };
  return actorEntry(actor, 'lane_skipped', subject, changes);
}
