import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { CLOCK, NEW_ID, parseStoredJson, WeftError, writeJson, type Clock, type NewId } from '@weft/kernel';
import { reachesOutside } from '@weft/layers';
import { FLOW_SAMPLES, SampleRepository, type FlowDocument, type SampleDocument } from '@weft/records';
import { layerShape } from '@weft/shapes';
import { TenantScope, type AuditAction, type AuditEntryInput } from '@weft/store';
import { flowEntry, type Actor } from '../flow-audit.js';
import { FlowRights } from '../flow-rights.js';
import { FlowsService } from '../flows.service.js';
import { toSampleView, type SampleView } from './sample.view.js';

const MAX_SAMPLE_BYTES = 256 * 1024;
const LIMITS = { samples: 100, bytes: 4 * 1024 * 1024 } as const;

type Outs = Readonly<Record<string, unknown>>;

/** Examples of what the layers of a flow give: completion, hints and dry runs of those who build it use them. */
@Injectable()
export class SamplesService {
  constructor(
    private readonly flows: FlowsService,
    private readonly rights: FlowRights,
    private readonly samples: SampleRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  async list(caller: Principal, flowId: string): Promise<SampleView[]> {
    await this.flows.read(caller, flowId);
    const found = await this.samples.findAll(new TenantScope(caller.companyId), flowId);
    return found.map(toSampleView);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, flowId: string, ref: string): Promise<SampleView> {
    await this.flows.read(caller, flowId);
    const [found] = await this.samples.findOf(new TenantScope(caller.companyId), flowId, [ref]);
    if (!found) throw noSample(ref);
    return toSampleView(found);
  }

  /** @throws WeftError `not_found`, `value_too_large`, `too_many_samples` */
  async put(actor: Actor, flowId: string, ref: string, out: unknown): Promise<SampleView> {
    const { caller } = actor;
    await this.flows.read(caller, flowId, 'edit');
    assertRef(ref);
    const text = writeJson(out ?? null).json ?? 'null';
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_SAMPLE_BYTES) {
      const advice = 'keep a part of it, such as the first items of its lists';
      throw new WeftError(
        'value_too_large',
        `A sample has at most ${MAX_SAMPLE_BYTES} bytes as JSON, and this one has ${bytes}: ${advice}.`,
      );
    }
    const sample: SampleDocument = {
      ...{ _id: this.newId(), company_id: caller.companyId, flowId, ref, out: text, bytes },
      ...{ keptBy: caller.userId, keptAt: new Date(this.clock.now()) },
    };
    const entry = sampleEntry(actor, 'sample_kept', flowId, ref);
    const outcome = await this.samples.put(new TenantScope(caller.companyId), sample, LIMITS, entry);
    if (outcome === 'gone') throw new WeftError('not_found', 'There is no flow with this id.');
    if (outcome === 'full') {
      const most = `A flow has at most ${LIMITS.samples} samples, of ${LIMITS.bytes} bytes together`;
      throw new WeftError('too_many_samples', `${most}: remove those of other layers, or keep less of each.`);
    }
    return toSampleView(sample);
  }

  /** @throws WeftError `not_found` */
  async remove(actor: Actor, flowId: string, ref: string): Promise<void> {
    await this.flows.read(actor.caller, flowId, 'edit');
    const scope = new TenantScope(actor.caller.companyId);
    const entry = sampleEntry(actor, 'sample_removed', flowId, ref);
    if (!(await this.samples.remove(scope, flowId, ref, entry))) throw noSample(ref);
  }

  /** What layers that reach outside give in a dry run: their fixture, else their sample. */
  async fixtures(caller: Principal, flow: FlowDocument, fixtures: Outs): Promise<Outs> {
    const outside = flow.layers.filter(({ appId }) => reachesOutside(appId)).map(({ ref }) => ref);
    return this.outs(caller, flow, outside, fixtures);
  }

  /** The outputs that are given, and the samples of those of these layers that have none; samples are for those who may read the flow. */
  async outs(caller: Principal, flow: FlowDocument, refs: readonly string[], given: Outs): Promise<Outs> {
    const missing = refs.filter((ref) => !Object.hasOwn(given, ref));
    if (missing.length === 0 || !(await this.rights.may(caller, 'read', flow))) return given;
    const found = await this.samples.findOf(new TenantScope(caller.companyId), flow._id, missing);
    return { ...Object.fromEntries(found.map(({ ref, out }) => [ref, parseStoredJson(out)])), ...given };
  }
}

/** @throws WeftError `not_found` */
function assertRef(ref: string): void {
  const parsed = layerShape.shape.ref.safeParse(ref);
  if (parsed.success) return;
  const why = parsed.error.issues[0]?.message ?? 'is invalid';
  throw new WeftError('not_found', `No layer has the ref in this address: a ref ${why}.`);
}

function noSample(ref: string): WeftError {
  return new WeftError('not_found', `The flow has no sample of "${ref.slice(0, 100)}".`);
}

/** The resource is the flow; the value is data, and stays out of the log. */
function sampleEntry(actor: Actor, action: AuditAction, flowId: string, ref: string): AuditEntryInput {
  const change = action === 'sample_kept' ? { before: null, after: ref } : { before: ref, after: null };
  return { ...flowEntry(actor, action, flowId, { sample: change }), collection: FLOW_SAMPLES };
}
