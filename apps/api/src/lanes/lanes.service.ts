import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { isFinal } from '@weft/contracts';
import { isAtStoppedLane, laneFault, laneQueue, type Command, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { LOG, warnRarely } from '@weft/observability';
import {
  LaneReads,
  Mongo,
  PLAYS,
  PlayReadsRepository,
  TenantScope,
  TurnRepository,
  type AuditEntryInput,
  type LaneHead,
} from '@weft/store';
import { TurnKeeper } from '@weft/queue';
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
    private readonly turns: TurnRepository,
    private readonly keeper: TurnKeeper,
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
    const readable = await this.rights.permitted(caller, 'read', [...(now.head ? [now.head] : []), ...now.next]);
    return toLaneView({ ...now, lane }, new Set(readable.map(({ _id }) => _id)));
  }

  /**
   * Lets the lane go on past the play at its head.
   *
   * @param playId only if it is that play
   * @throws WeftError `not_found`, `denied`, `nothing_to_skip`, `illegal_move`
   */
  async skip(actor: Actor, lane: string, playId?: string): Promise<LaneView> {
    assertName(lane);
    // the one that the caller means: whoever is at the head after it is not skipped in its place
    let skipped = playId;
    const { companyId } = actor.caller;
    const scope = new TenantScope(companyId);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const head = await this.reads.head(scope, lane);
      if (!head) throw nothingToSkip(`The lane "${lane}" has no play.`);
      skipped ??= head._id;
      if (head._id !== skipped)
        throw nothingToSkip(`The play ${skipped} does not have the turn of the lane "${lane}" (any more).`);
      await this.rights.assertMay(actor.caller, 'skip', head);
      if (!(await this.skipHead(actor, head))) continue;
      await this.keeper.goOn({ companyId, queue: laneQueue(lane) }).catch(this.onFault);
      return this.read(actor.caller, lane);
    }
    throw new WeftError('illegal_move', 'The lane keeps changing. Try again.');
  }

  /** False: it is at the head no more. */
  private async skipHead(actor: Actor, head: LaneHead): Promise<boolean> {
    const entry = entryOf(actor, head);
    if (isAtStoppedLane(head)) return this.turns.freeAudited(head, entry);
    const message = `The play was skipped in its lane by the user ${actor.caller.userId}.`;
    const command: Command = { kind: 'cancel', error: { code: 'cancelled', message, ref: null }, skipsLane: true };
    const scope = new TenantScope(head.company_id);
    const applied = await this.commands.apply<Play>({
      read: () => this.plays.findWithLayers(scope, head._id),
      order: (play) => (play && !isFinal(play.state) ? { play, command, entry } : null),
    });
    return applied.kind === 'written';
  }
}

/** @throws WeftError `not_found` */
function assertName(lane: string): void {
  const fault = laneFault(lane);
  if (fault !== null) throw new WeftError('not_found', `There is no such lane: ${fault}.`);
}

function nothingToSkip(message: string): WeftError {
  return new WeftError('nothing_to_skip', message);
}

function entryOf(actor: Actor, { _id, lane = '', state }: LaneHead): AuditEntryInput {
  const subject = { collection: PLAYS, resource_type: 'lane', resource_id: lane };
  const changes = {
    playId: { before: _id, after: null },
    state: { before: state, after: isFinal(state) ? state : 'FAIL' },
  };
  return actorEntry(actor, 'lane_skipped', subject, changes);
}
