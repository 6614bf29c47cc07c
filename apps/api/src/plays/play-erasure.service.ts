import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { isFinal } from '@weft/contracts';
import { isAtStoppedLane } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { firstOf, PlayCommandsRepository, PlayReadsRepository, RetriesRepository, TenantScope } from '@weft/store';
import { PlayNotices } from '@weft/realtime-bus';
import type { RequestOrigin } from '../http/request-origin.js';
import { auditOf } from './play-commander.js';
import { PlayRights } from './play-rights.js';

/** Erases plays that have ended. What is left of them is the audit entry. */
@Injectable()
export class PlayErasureService {
  constructor(
    private readonly plays: PlayReadsRepository,
    private readonly commands: PlayCommandsRepository,
    private readonly retries: RetriesRepository,
    private readonly rights: PlayRights,
    private readonly notices: PlayNotices,
  ) {}

  /** @throws WeftError `not_found`, `denied`, `not_final`, `lane_stopped` */
  async erase(caller: Principal, origin: RequestOrigin, playId: string): Promise<void> {
    const scope = new TenantScope(caller.companyId);
    const play = await this.rights.assertMay(caller, 'delete', await this.plays.findWithLayers(scope, playId));
    if (!isFinal(play.state)) {
      throw new WeftError('not_final', 'The play has not ended: cancel it first.', { extra: { state: play.state } });
    }
    // its record is all that says whom to notify and how it ended: without it its parent would wait without end, fail or start another
    const { parent } = play;
    const needing = parent && (await this.retries.openWithout(scope, parent.first, parent.layer));
    if (play.parentPending || needing) {
      const message = `The play ${needing ?? play.parentPlayId ?? ''}, whose layer started it, may still need it: wait until that has ended, or cancel it.`;
      throw new WeftError('not_final', message, { extra: { state: play.state } });
    }
    const retry = play.state === 'FAIL' ? await this.retries.openWithout(scope, firstOf(play)) : null;
    if (retry !== null) {
      const message = `The play ${retry}, a retry of it, takes over what this play has done: wait until it has ended, or cancel it.`;
      throw new WeftError('not_final', message, { extra: { state: play.state } });
    }
    if (isAtStoppedLane(play)) {
      const message = `The lane "${play.lane ?? ''}" is stopped at this play: retry or skip it first.`;
      throw new WeftError('lane_stopped', message, { extra: { lane: play.lane } });
    }
    const changes = { state: { before: play.state, after: null }, flowId: { before: play.flowId, after: null } };
    const entry = auditOf(caller, origin, play, { action: 'play_deleted', changes });
    if (!(await this.commands.erase(scope, playId, entry))) {
      throw new WeftError('not_found', 'There is no play with this id.');
    }
    // after its last event, so that watchers read the play and find it deleted
    this.notices.announce(scope.companyId, playId, play.seq + 1);
  }
}
