import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { TriggerDeliveriesRepository } from '@weft/records';
import { toPage, toPageRequest, type PageQuery } from '../http/paging.js';
import { toRunAnswer, type RunAnswer } from '../plays/run/run-answer.js';
import { toEventAnswer, type EventAnswer } from '../events/event-answer.js';
import { RunService } from '../plays/run/run.service.js';
import { toDeliveryView, type DeliveryView } from './delivery.view.js';
import { DeliveryRuns } from './hooks/delivery-runs.js';
import { TriggerSource } from './trigger-source.js';
import { TriggersService } from './triggers.service.js';

/** Of a trigger that sends events, what became of the event. */
export type ReplayAnswer = RunAnswer | EventAnswer;

/** The log of deliveries, and repeating what is in it. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly triggers: TriggersService,
    private readonly source: TriggerSource,
    private readonly deliveries: TriggerDeliveriesRepository,
    private readonly runs: RunService,
    private readonly deliveryRuns: DeliveryRuns,
  ) {}

  async list(caller: Principal, flowId: string, triggerId: string, query: PageQuery): Promise<Page<DeliveryView>> {
    const request = toPageRequest(query);
    await this.triggers.find(caller, flowId, triggerId);
    const scope = new TenantScope(caller.companyId);
    const found = await this.deliveries.list(scope, triggerId, request);
    const kept = await this.deliveries.withBody(
      scope,
      found.items.map(({ _id, replay_of }) => replay_of ?? _id),
    );
    return toPage(request, found, (each) => toDeliveryView(each, kept.has(each.replay_of ?? each._id)));
  }

  /**
   * Treats the bytes as a new delivery, by the trigger as it is now, for the caller and with the caller's rights.
   *
   * @returns null: the condition is false
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`, `delivery_not_kept`, and as `DeliveryRuns.run`
   */
  async replay(caller: Principal, flowId: string, triggerId: string, id: string): Promise<ReplayAnswer | null> {
    const trigger = await this.triggers.find(caller, flowId, triggerId);
    const scope = new TenantScope(caller.companyId);
    const delivery = await this.deliveries.find(scope, triggerId, id);
    if (!delivery) throw new WeftError('not_found', 'The trigger has no delivery with this id.');
    const flow = await this.runs.runnable(caller, flowId);
    const replayOf = delivery.replay_of ?? delivery._id;
    const body = await this.deliveries.bodyOf(scope, triggerId, replayOf);
    if (!body) {
      throw new WeftError(
        'delivery_not_kept',
        'Bodies of up to 1 MB are kept for three days, and those of duplicates not at all.',
      );
    }
    const { content_type: contentType, headers, query, method = 'POST' } = delivery;
    const open = this.source.open(trigger);
    const sent = { body, contentType, method, headers, query };
    const result = await this.deliveryRuns.run({ open, flow, userId: caller.userId, sent, replayOf });
    if (result.kind === 'sent') return toEventAnswer(result.event);
    return result.kind === 'ran' ? toRunAnswer(result.run.play) : null;
  }
}
