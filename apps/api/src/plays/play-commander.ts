import { Injectable } from '@nestjs/common';
import { isFinal } from '@weft/contracts';
import {
  COMMAND_ATTEMPTS,
  decideCommand,
  startedAtOf,
  wantsRoom,
  type Command,
  type Play,
  type PlayWrite,
} from '@weft/engine';
import { PlayFigures } from '@weft/host';
import { WeftError } from '@weft/kernel';
import {
  Mongo,
  MongoPlayStore,
  PlayReadsRepository,
  TenantScope,
  keyOf,
  type AuditAction,
  type AuditChange,
  type AuditEntryInput,
} from '@weft/persistence';
import { Doorbell, Places } from '@weft/queue';
import { PlayNotices, PlaySignals } from '@weft/realtime-bus';
import { setTimeout as sleep } from 'node:timers/promises';
import { actorEntry, type Doer } from '../audit/actor-entry.js';
import type { RequestOrigin } from '../http/request-origin.js';

/** What a caller wants of a play, and how the audit log tells it. */
export interface PlayOrder {
  readonly command: Command;
  readonly action: AuditAction;
  readonly reason?: string | null;
  readonly changes?: Readonly<Record<string, AuditChange>>;
}

/** Carries out commands on plays: read, decide, write on the condition of what was read, and again if it changed. */
@Injectable()
export class PlayCommander {
  constructor(
    private readonly mongo: Mongo,
    private readonly plays: PlayReadsRepository,
    private readonly store: MongoPlayStore,
    private readonly doorbell: Doorbell,
    private readonly places: Places,
    private readonly notices: PlayNotices,
    private readonly signals: PlaySignals,
    private readonly figures: PlayFigures,
  ) {}

  /**
   * @param order asked anew whenever the play was read anew; it refuses by throwing
   * @returns the play as it is after the command
   * @throws WeftError `illegal_move`, and what `order` throws
   */
  async carryOut(
    caller: Doer,
    origin: RequestOrigin,
    playId: string,
    order: (play: Play | null) => Promise<{ readonly play: Play; readonly order: PlayOrder }>,
  ): Promise<Play> {
    const scope = new TenantScope(caller.companyId);
    let notBefore = 0;
    for (let attempt = 0; attempt < COMMAND_ATTEMPTS;) {
      const asked = await order(await this.plays.findWithLayers(scope, playId));
      const { play } = asked;
      const { command } = asked.order;
      const at = new Date(Math.max(this.mongo.serverNow(), notBefore));
      const taken = await this.places.take(caller.companyId, wantsRoom(play, command, at) ? [playId] : []);
      const decision = decideCommand(play, command, at, taken.ids.has(playId));
      if (decision.kind === 'refuse') throw illegalMove(play, decision.why);
      if (decision.kind === 'later') {
        await sleep(decision.waitMs);
        notBefore = decision.at.getTime();
        continue;
      }
      attempt += 1;
      const askedAtMs = performance.now();
      const { write, ring } = decision;
      if (!(await this.store.writeAudited(keyOf(play), write, auditOf(caller, origin, play, asked.order)))) {
        this.places.giveBack(caller.companyId, taken);
        continue;
      }
      this.tell(play, write);
      if (ring) void this.doorbell.ring([{ ...keyOf(play), epoch: write.set.epoch ?? play.epoch }], askedAtMs);
      return (await this.plays.findWithLayers(scope, playId)) ?? play;
    }
    throw new WeftError('illegal_move', 'The play keeps changing. Try again.');
  }

  /** Watchers and workers of a play learn at once what was written. */
  tell(play: Pick<Play, '_id' | 'company_id' | 'flowId' | 'seq' | 'log'>, write: PlayWrite): void {
    const { state } = write.set;
    if (state && isFinal(state)) this.figures.ended(play, state, startedAtOf(play));
    this.notices.announce(play.company_id, play._id, write.set.seq ?? play.seq);
    this.signals.publish(play._id);
  }
}

export function illegalMove(play: Pick<Play, 'state'>, why: string): WeftError {
  return new WeftError('illegal_move', why, { extra: { state: play.state } });
}

export function auditOf(
  caller: Doer,
  origin: RequestOrigin,
  play: Pick<Play, '_id' | 'company_id'>,
  { action, reason, changes }: Omit<PlayOrder, 'command'>,
): AuditEntryInput {
  const subject = {
    collection: 'plays',
    resource_type: 'play',
    resource_id: play._id,
    company_id: play.company_id,
  };
  return { ...actorEntry({ caller, origin }, action, subject, changes), reason };
}
