import { Injectable } from '@nestjs/common';
import { isAgent, type Principal } from '@weft/access';
import type { Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { Mongo } from '@weft/store';
import type { Doer } from '../audit/actor-entry.js';
import type { RequestOrigin } from '../http/request-origin.js';
import { PlayCommander, illegalMove, type PlayOrder } from '../plays/play-commander.js';
import { PlayCommandsService, assertOpen, noLayer } from '../plays/play-commands.service.js';
import { PlayRights } from '../plays/play-rights.js';
import type { DecideBody } from './approval.requests.js';
import { linkOf } from './approval.view.js';

/** Which approval, and from where it is decided. */
export interface ApprovalAt {
  readonly playId: string;
  readonly ref: string;
  /** Of a layer that works in steps: which of them is decided. */
  readonly step?: number | undefined;
  readonly origin: RequestOrigin;
  /** By a link that was sent, not by a caller of the API. */
  readonly byLink: boolean;
}

/** The decider's name in the output when an unknown holder of a link decided. */
const HOLDER = 'link';

/** Answers approvals that plays ask for now. */
@Injectable()
export class ApprovalDecisions {
  constructor(
    private readonly mongo: Mongo,
    private readonly commander: PlayCommander,
    private readonly commands: PlayCommandsService,
    private readonly rights: PlayRights,
  ) {}

  /**
   * Decides for a known user, with that user's rights.
   *
   * @throws WeftError `not_found`, `denied`, `illegal_move`
   */
  byPerson(caller: Principal, at: ApprovalAt, body: DecideBody): Promise<Play> {
    return this.decide(caller, at, body, async (found) => {
      const play = await this.rights.assertMay(caller, 'read', found);
      const wait = waitOf(play, at.ref);
      if (wait && !(await this.rights.mayDecide(caller, play, wait.approval?.approvers ?? []))) {
        throw new WeftError('denied', whyNot(caller));
      }
      return play;
    });
  }

  /**
   * Decides for the holder of a link, if the layer allows it. The caller has verified the link.
   *
   * @throws WeftError `not_found`, `denied`, `illegal_move`
   */
  byHolder(companyId: string, at: ApprovalAt, body: DecideBody): Promise<Play> {
    return this.decide({ companyId, userId: null, email: null }, at, body, (play) => {
      if (!play) throw new WeftError('not_found', 'There is no play with this id.');
      const wait = waitOf(play, at.ref);
      if (wait && linkOf(wait) !== 'holder') throw new WeftError('denied', 'Sign in to decide this approval.');
      return play;
    });
  }

  private decide(
    by: Doer,
    { playId, ref, step, origin, byLink }: ApprovalAt,
    { decision, comment = null }: DecideBody,
    judge: (play: Play | null) => Play | Promise<Play>,
  ): Promise<Play> {
    const order = async (play: Play): Promise<PlayOrder> => {
      assertOpen(play);
      const wait = waitOf(play, ref);
      if (!wait) {
        if (!(await this.commands.layerOf(play, ref))) throw new WeftError('not_found', noLayer(ref));
        throw illegalMove(play, `The layer "${ref}" does not wait for an approval now.`);
      }
      if (wait.step !== step) throw illegalMove(play, otherStep(ref, wait.step));
      const at = new Date(this.mongo.serverNow()).toISOString();
      const ofStep = step !== undefined && { step };
      const payload = { kind: 'approval', decision, by: by.userId ?? HOLDER, comment, at, ...ofStep };
      return {
        command: { kind: 'resume', position: wait.position, payload, step },
        action: 'approval_decided',
        reason: comment,
        changes: {
          ...(byLink && { decided_by: { before: null, after: by.userId ? 'link of the user' : 'holder of the link' } }),
          [ref]: { before: null, after: decision },
        },
      };
    };
    return this.commander.carryOut(by, origin, playId, async (found) => {
      const play = await judge(found);
      return { play, order: await order(play) };
    });
  }
}

function whyNot(caller: Principal): string {
  return isAgent(caller)
    ? 'The key of an agent decides approvals only if it says so (mcp.decide_approvals), and not of plays that it may have started: ask a person.'
    : 'You may not decide this approval: those whom it names do; if it names nobody, those who may edit the flow; and admins.';
}

function otherStep(ref: string, step: number | undefined): string {
  return step === undefined
    ? `The layer "${ref}" asks once: leave out step.`
    : `The layer "${ref}" asks about step ${step} now: read what it asks, and decide with this step.`;
}

function waitOf(play: Play, ref: string) {
  return Object.values(play.waits ?? {}).find((one) => one.kind === 'approval' && one.ref === ref);
}
