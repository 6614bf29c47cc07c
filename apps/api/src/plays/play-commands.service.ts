import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { isFinal, type PlayView } from '@weft/contracts';
import type { LayerDefinition, Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { PayloadStore, TenantScope } from '@weft/store';
import { FlowVersionRepository } from '@weft/records';
import { AnswerPayload } from '@weft/runs';
import type { RequestOrigin } from '../http/request-origin.js';
import { PlayCommander, illegalMove, type PlayOrder } from './play-commander.js';
import { PlayRights } from './play-rights.js';
import { toPlayView } from './play.view.js';

/** What people do to one play that has not ended. */
@Injectable()
export class PlayCommandsService {
  constructor(
    private readonly commander: PlayCommander,
    private readonly rights: PlayRights,
    private readonly versions: FlowVersionRepository,
    private readonly payloads: PayloadStore,
  ) {}

  /** @throws WeftError `not_found`, `denied`, `illegal_move` */
  hold(caller: Principal, origin: RequestOrigin, playId: string): Promise<PlayView> {
    return this.control(caller, origin, playId, () => ({ command: { kind: 'hold' }, action: 'play_held' }));
  }

  /** @throws WeftError `not_found`, `denied`, `illegal_move` */
  release(caller: Principal, origin: RequestOrigin, playId: string): Promise<PlayView> {
    return this.control(caller, origin, playId, () => ({ command: { kind: 'release' }, action: 'play_released' }));
  }

  /** @throws WeftError `not_found`, `denied`, `illegal_move` */
  cancel(caller: Principal, origin: RequestOrigin, playId: string, reason?: string): Promise<PlayView> {
    return this.control(caller, origin, playId, () => cancelOrder(caller, reason));
  }

  /**
   * Ends a layer that waits, also one that is not reached yet: its answer is kept for it. Of a layer that pauses before its next
   * attempt, it ends the pause.
   *
   * @throws WeftError `not_found`, `denied`, `illegal_move`, `unknown_id`
   */
  async resume(
    caller: Principal,
    origin: RequestOrigin,
    playId: string,
    ref: string,
    payload: unknown,
  ): Promise<PlayView> {
    const answer = new AnswerPayload(this.payloads, caller.companyId, { kind: 'resume', payload });
    let form: object | null = null;
    const resumed = this.control(caller, origin, playId, async (play) => {
      assertOpen(play);
      const found = await this.layerOf(play, ref);
      if (!found) throw unknownRef(noLayer(ref));
      const { position, layer } = found;
      const changes = { layer: { before: null, after: ref } };
      if (!RESUMED_BY_CALL.has(layer.appId)) {
        if (layer.retry === null && !layer.repeat) throw unknownRef(cannotResume(layer));
        return { command: { kind: 'retryNow', position }, action: 'play_resumed', changes };
      }
      await answer.prepare([play]);
      form = answer.formFor(play);
      return {
        command: { kind: 'resume', position, payload: form },
        action: 'play_resumed',
        changes,
      };
    });
    return answer.settledAfter(resumed, () => form && answer.taken(playId, form));
  }

  private async control(
    caller: Principal,
    origin: RequestOrigin,
    playId: string,
    order: (play: Play) => PlayOrder | Promise<PlayOrder>,
  ): Promise<PlayView> {
    const after = await this.commander.carryOut(caller, origin, playId, async (found) => {
      const play = await this.rights.assertMay(caller, 'control', found);
      return { play, order: await order(play) };
    });
    return toPlayView(after);
  }

  /** Null: the version that the play runs has no such layer. */
  async layerOf(play: Play, ref: string): Promise<{ position: number; layer: LayerDefinition } | null> {
    const version = await this.versions.find(new TenantScope(play.company_id), play.flowId, play.version);
    const position = version?.layers.findIndex((layer) => layer.ref === ref) ?? -1;
    const layer = version?.layers[position];
    return layer ? { position, layer } : null;
  }
}

function cannotResume({ ref, appId }: LayerDefinition): string {
  return `The layer "${ref}" is of the module ${appId} and has neither retries nor rounds: only wait-event, delay, and pauses before a retry or a round are resumed.`;
}

const RESUMED_BY_CALL: ReadonlySet<string> = new Set(['wait-event', 'delay']);

export function cancelOrder(caller: Principal, reason?: string): PlayOrder {
  const why = reason === undefined ? '.' : `: ${reason}`;
  const error = { code: 'cancelled', message: `The play was cancelled by the user ${caller.userId}${why}`, ref: null };
  const changes = reason !== undefined && { changes: { reason: { before: null, after: reason } } };
  return { command: { kind: 'cancel', error }, action: 'play_cancelled', ...changes };
}

/** @throws WeftError `illegal_move` */
export function assertOpen(play: Play): void {
  if (isFinal(play.state)) throw illegalMove(play, `The play has ended as ${play.state}.`);
}

/** @param ref of a layer that the version of a play does not have */
export function noLayer(ref: string): string {
  return `The version that this play runs has no layer "${ref}".`;
}

function unknownRef(message: string): WeftError {
  return new WeftError('unknown_id', message, { errors: [{ path: 'ref', code: 'unknown', message }] });
}
