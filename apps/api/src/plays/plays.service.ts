import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { PlayLayerView, PlayView } from '@weft/contracts';
import { outOf, type LayerResult } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { outputText } from '@weft/layers';
import { PayloadStore, PlayReadsRepository, RetriesRepository, TenantScope } from '@weft/store';
import { FlowVersionRepository } from '@weft/records';
import { Readable } from 'node:stream';
import { eventsText } from './play-events.js';
import { PlayRights } from './play-rights.js';
import { argsPlace, toPlayLayerViews, toPlayView, WHOLE_OUTPUT_BYTES } from './play.view.js';

const OUTPUTS_AT_ONCE = 8;

/** Reads plays under the rules of their flow, which hold also after the flow was deleted. */
@Injectable()
export class PlaysService {
  constructor(
    private readonly plays: PlayReadsRepository,
    private readonly rights: PlayRights,
    private readonly versions: FlowVersionRepository,
    private readonly payloads: PayloadStore,
    private readonly retries: RetriesRepository,
  ) {}

  /**
   * @param mostArgsBytes of args that are stored apart and have more bytes, the place is shown where they are read
   * @throws WeftError `not_found`, `denied`
   */
  async read(caller: Principal, playId: string, mostArgsBytes = Infinity): Promise<PlayView> {
    const scope = new TenantScope(caller.companyId);
    const play = await this.rights.assertMay(caller, 'read', await this.plays.find(scope, playId));
    const retriedBy = (await this.retries.retriesOf(scope, [play])).get(playId);
    if (!play.argsRef) return toPlayView(play, retriedBy);
    const { bytes } = play.argsRef;
    const isShown = bytes <= mostArgsBytes;
    const args = isShown ? await this.payloads.argsOf(scope, play) : argsPlace(playId, bytes);
    return toPlayView({ ...play, args }, retriedBy);
  }

  /** The frames of the play so far, from this number on, as JSON text. */
  async readEvents(caller: Principal, playId: string, fromSeq: number): Promise<Readable> {
    const scope = new TenantScope(caller.companyId);
    const play = await this.rights.assertMay(caller, 'read', await this.plays.findJournal(scope, playId));
    return Readable.from(eventsText(play, fromSeq));
  }

  /** Every layer of the play's version, with outputs up to 256 KB, wherever they are stored; without outputs that retention deleted. */
  async readLayers(caller: Principal, playId: string): Promise<PlayLayerView[]> {
    const scope = new TenantScope(caller.companyId);
    const play = await this.rights.assertMay(caller, 'read', await this.plays.findWithLayers(scope, playId));
    if (play.layersErasedAt) return [];
    const version = await this.versions.find(scope, play.flowId, play.version);
    if (!version) throw new WeftError('not_found', 'The version that this play ran is gone.');
    const small = play.layers.filter(({ outRef }) => outRef && outRef.bytes <= WHOLE_OUTPUT_BYTES);
    const stored = new Map<number, unknown>();
    for (let i = 0; i < small.length; i += OUTPUTS_AT_ONCE) {
      await Promise.all(
        small.slice(i, i + OUTPUTS_AT_ONCE).map(async ({ position, outRef }) => {
          const read = outRef && (await this.payloads.output(scope, outRef));
          if (read) stored.set(position, read.out);
        }),
      );
    }
    return toPlayLayerViews(play, version, stored);
  }

  /** The whole output of one layer as JSON text; `bytes` where its length is known beforehand. */
  async readOutput(caller: Principal, playId: string, ref: string): Promise<{ stream: Readable; bytes?: number }> {
    const scope = new TenantScope(caller.companyId);
    const play = await this.rights.assertMay(caller, 'read', await this.plays.findWithLayer(scope, playId, ref));
    const result: LayerResult | undefined = play.layers?.[0];
    if (!result) throw new WeftError('not_found', `No layer "${ref}" of this play has an output.`);
    if (!result.outRef) return { stream: Readable.from([Buffer.from(JSON.stringify(outOf(result)))]) };
    const { outRef } = result;
    const open = () => this.payloads.open(scope, outRef);
    const stored = await open();
    if (!stored) throw new WeftError('not_found', 'This output is not kept any more.');
    return { stream: Readable.from(outputText(open)), ...(!stored.form && { bytes: stored.bytes }) };
  }
}
