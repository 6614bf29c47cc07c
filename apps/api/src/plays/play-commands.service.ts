import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { PlayView } from '@weft/contracts';
import { COMMAND_ATTEMPTS, decideCommand, type Command, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  FlowRepository,
  Mongo,
  MongoPlayStore,
  PlayReadsRepository,
  TenantScope,
  keyOf,
  type AuditAction,
} from '@weft/persistence';
import { Doorbell } from '@weft/queue';
import { PlayNotices } from '@weft/realtime-bus';
import { setTimeout as sleep } from 'node:timers/promises';
import { FlowRights } from '../flows/flow-rights.js';
import type { RequestOrigin } from '../http/request-origin.js';
import { toPlayView } from './play.view.js';

/** What a user may do to a play that has not ended. `resume` comes with the layers that wait. */
export type UserCommand = Exclude<Command, { kind: 'resume' }>;

const ACTIONS: Readonly<Record<UserCommand['kind'], AuditAction>> = {
  hold: 'play_held',
  release: 'play_released',
  cancel: 'play_cancelled',
};

/** Carries out users' commands on plays: read, decide, write on the condition of what was read, and again if it changed. */
@Injectable()
export class PlayCommandsService {
  constructor(
    private readonly mongo: Mongo,
    private readonly plays: PlayReadsRepository,
    private readonly flows: FlowRepository,
    private readonly rights: FlowRights,
    private readonly store: MongoPlayStore,
    private readonly doorbell: Doorbell,
    private readonly notices: PlayNotices,
  ) {}

  /** @throws WeftError `not_found`, `denied`, `illegal_move` */
  async carryOut(caller: Principal, origin: RequestOrigin, playId: string, command: UserCommand): Promise<PlayView> {
    for (let attempt = 0; attempt < COMMAND_ATTEMPTS;) {
      const play = await this.controllable(caller, playId);
      const decision = decideCommand(play, command, new Date(this.mongo.serverNow()));
      if (decision.kind === 'refuse') {
        throw new WeftError('illegal_move', decision.why, { extra: { state: play.state } });
      }
      if (decision.kind === 'later') {
        await sleep(decision.waitMs);
        continue;
      }
      attempt += 1;
      const askedAtMs = performance.now();
      const { write } = decision;
      const entry = auditOf(caller, origin, play, command);
      if (!(await this.store.writeAudited(keyOf(play), write, entry))) continue;
      this.notices.announce(play.company_id, play._id, write.set.seq ?? play.seq);
      if (decision.ring) void this.doorbell.ring([{ ...keyOf(play), epoch: write.set.epoch ?? play.epoch }], askedAtMs);
      return toPlayView(await this.controllable(caller, playId));
    }
    throw new WeftError('illegal_move', 'The play keeps changing. Try again.');
  }

  private async controllable(caller: Principal, playId: string): Promise<Play> {
    const scope = new TenantScope(caller.companyId);
    const play = await this.plays.findWithLayers(scope, playId);
    const flow = play && (await this.flows.findHead(scope, play.flowId));
    if (!play || !flow) throw new WeftError('not_found', 'There is no such play.');
    if (!(await this.rights.mayOnPlay(caller, 'control', play, flow))) {
      throw new WeftError('denied', 'You may control plays of your own that you may run, and editors all.');
    }
    return play;
  }
}

function auditOf(caller: Principal, origin: RequestOrigin, play: Play, { kind }: UserCommand) {
  return {
    action_type: ACTIONS[kind],
    collection: 'plays',
    company_id: play.company_id,
    UserID: caller.userId,
    UserEmail: caller.email,
    UserIPAddress: origin.address,
    resource_type: 'play',
    resource_id: play._id,
    request_id: origin.requestId,
  };
}
