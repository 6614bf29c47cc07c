import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { EventDelivery } from '@weft/runs';
import { PlayRights } from '../plays/play-rights.js';
import { toEventAnswer, type EventAnswer } from './event-answer.js';
import type { EventBody } from './event.requests.js';

/** Sends events to plays of flows that the caller may execute, whoever started them. */
@Injectable()
export class EventsService {
  constructor(
    private readonly delivery: EventDelivery,
    private readonly rights: PlayRights,
  ) {}

  /** @throws WeftError `kept_events_full` */
  async publish(caller: Principal, { name, key = null, payload = null, ttlMs }: EventBody): Promise<EventAnswer> {
    const { companyId, userId } = caller;
    const sent = await this.delivery.send({
      ...{ companyId, name, key, payload },
      reaches: (plays) => this.rights.ofFlowsToRun(caller, plays),
      ...(ttlMs !== undefined && { keep: { ttlMs, sentBy: userId } }),
    });
    return toEventAnswer(sent);
  }
}
