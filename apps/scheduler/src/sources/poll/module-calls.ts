import { Inject, Injectable } from '@nestjs/common';
import { NEW_ID, type NewId } from '@weft/kernel';
import { faceKeysOf, HeldMemory, tryLayer, type GivenModuleServices } from '@weft/layers';
import { LOG, warnRarely } from '@weft/observability';
import { OperationFaces, type TriggerDocument } from '@weft/records';
import { Sandbox } from '@weft/sandbox';
import { NO_OPTIONS } from '@weft/shapes';
import { Mongo, TenantScope } from '@weft/store';
import type { Logger } from 'pino';
import { SourceEgress } from '../source-egress.js';
import { SourceFault } from '../source.js';

const TIMEOUT_MS = 60_000;
/** What bodies of answers hold at once, of each size. */
const HELD_BYTES = 64 * 1024 * 1024;
const REF = 'poll';

export interface ModuleCall {
  readonly appId: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Calls a module as a layer does, outside of a play: how a list is asked for. */
@Injectable()
export class ModuleCalls {
  private readonly services: GivenModuleServices;
  private readonly onFault: (error: unknown) => void;

  constructor(
    { http, integrations }: SourceEgress,
    sandbox: Sandbox,
    private readonly faces: OperationFaces,
    private readonly mongo: Mongo,
    @Inject(NEW_ID) private readonly newId: NewId,
    @Inject(LOG) log: Logger,
  ) {
    this.services = { http, integrations, sandbox, memory: new HeldMemory(HELD_BYTES) };
    this.onFault = warnRarely(log, 'sources', 'a call of a trigger failed by a fault of its own');
  }

  /**
   * @param known what the arguments read as `$prev.args`
   * @returns the output, at most of the size that a layer may be tried with
   * @throws SourceFault with the code of the failure
   */
  async call(
    { company_id: companyId, flow_id: flowId, created_by: userId }: TriggerDocument,
    { appId, args }: ModuleCall,
    known: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const layer = { ...NO_OPTIONS, id: REF, ref: REF, name: REF, index: 0, appId, args };
    const settings = { concurrency: null, timeoutMs: null, onMissing: 'null', maxOutputBytes: null } as const;
    const asked = {
      ...{ playId: this.newId(), userId, companyName: '', args: known, outs: {}, confirmed: true, secretVars: [] },
      version: { flowId, companyId, version: 0, name: '', settings, layers: [layer] },
      timeoutMs: TIMEOUT_MS,
    };
    const faces = await this.faces.find(new TenantScope(companyId), faceKeysOf([layer]));
    const serverNow = () => this.mongo.serverNow();
    const onCall = async () => signal.throwIfAborted();
    const means = { services: this.services, faces, signal, serverNow, onCall, onFault: this.onFault };
    const { error, out } = await tryLayer(asked, means);
    signal.throwIfAborted();
    if (error) throw new SourceFault(error.code, `${error.message}.`.replace(/\.\.$/, '.'));
    return out;
  }
}
