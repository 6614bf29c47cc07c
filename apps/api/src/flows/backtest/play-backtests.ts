import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import type { BacktestItem } from '@weft/contracts';
import { outOf, type FlowVersion, type LayerResult, type PayloadRef, type Play } from '@weft/engine';
import { PlayLinks } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { reachesOutside, rehearsePlay, worksInSteps, type Faces, type PlayRehearsal } from '@weft/layers';
import { PayloadStore, PlayReadsRepository, TenantScope } from '@weft/store';
import { FlowVersionRepository, type FlowDocument } from '@weft/records';
import { conditionHolds } from '@weft/runs';
import { Sandbox } from '@weft/sandbox';
import { ALL_OUTPUTS_BYTES, versionWithin } from '../dry-run/bounded-version.js';
import { FlowFaces } from '../flow-faces.js';
import { asItem, comparePlays, differenceOfPlay, type Comparison } from './compare-plays.js';

/** Bytes that an output which is computed anew may have. */
const ONE_OUTPUT_BYTES = 1024 * 1024;

const NOTHING_KNOWN: Comparison = { differences: [], missing: [] };

/** What all plays of one backtest are rehearsed with. */
export interface BacktestSubject {
  readonly flow: FlowDocument;
  readonly companyName: string;
}

/** Rehearses one stored play after the other. */
@Injectable()
export class PlayBacktests {
  private readonly playLinks: PlayLinks;

  constructor(
    private readonly plays: PlayReadsRepository,
    private readonly versions: FlowVersionRepository,
    private readonly payloads: PayloadStore,
    private readonly sandbox: Sandbox,
    private readonly faces: FlowFaces,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.playLinks = new PlayLinks(settings);
  }

  of({ flow, companyName }: BacktestSubject): {
    itemOf(playId: string, signal: AbortSignal): Promise<BacktestItem | null>;
  } {
    const scope = new TenantScope(flow.company_id);
    const version = versionWithin(flow, ONE_OUTPUT_BYTES);
    // most plays ran the same version as the one before
    let last: RanVersion | null = null;
    const versionOf = async (play: Play) => {
      if (last?.version.version === play.version) return last;
      const found = await this.versions.find(scope, flow._id, play.version);
      return (last = found && { version: found, faces: await this.facesOf(scope, found) });
    };
    let present: Promise<Faces> | undefined;
    return {
      itemOf: async (playId, signal) => {
        const play = await this.plays.findWithLayers(scope, playId);
        if (!play) return null;
        const ran = await versionOf(play);
        if (!ran || play.layersErasedAt || isTooLarge(play.argsRef)) return asItem(playId, NOTHING_KNOWN, false);
        const faces = { version: await (present ??= this.facesOf(scope, version)), recorded: ran.faces };
        return this.rehearse({ scope, flow, version, companyName, play, ran: ran.version, faces, signal });
      },
    };
  }

  /** What the steps of its layers name. */
  private facesOf({ companyId: company_id }: TenantScope, { layers }: FlowVersion): Promise<Faces> {
    return this.faces.of({ company_id, layers: layers.filter(({ appId }) => worksInSteps(appId)) });
  }

  private async rehearse(each: OnePlay): Promise<BacktestItem> {
    const { scope, version, companyName, play, ran, faces, signal } = each;
    const decided = await this.compareConditions(each);
    if (decided) return asItem(play._id, decided, true);
    const lost = new Set<string>();
    const open = async (_companyId: string, ref: PayloadRef) => {
      const found = await this.payloads.open(scope, ref);
      if (!found) lost.add(ref.$ref);
      return found;
    };
    const rehearsal = await rehearsePlay({
      version,
      recorded: { play, version: ran },
      companyName,
      playUrl: (place) => this.playLinks.urlOf(place),
      faces,
      open,
      maxBytes: ALL_OUTPUTS_BYTES,
      sandbox: this.sandbox,
      signal,
    });
    if (signal.aborted || lost.size > 0) {
      const missing = play.layers.filter(({ outRef }) => outRef && lost.has(outRef.$ref)).map(({ ref }) => ref);
      return asItem(play._id, { differences: [], missing }, false);
    }
    const outs = await this.storedOuts(scope, play, ran, rehearsal);
    const compared = comparePlays({ play, version: ran }, rehearsal, (result) =>
      result.outRef ? outs.get(result.ref) : outOf(result),
    );
    return asItem(play._id, compared, true);
  }

  /** Null: the play was begun, and would be begun. A play can be SKIP for other reasons than the flow's condition. */
  private async compareConditions({ scope, flow, play, ran }: OnePlay): Promise<Comparison | null> {
    const wasSkipped = play.state === 'SKIP';
    if (!wasSkipped && flow.when === null) return null;
    const args = await this.payloads.argsOf(scope, play);
    const now = () => play.createdAt.getTime();
    const holds = async (version: FlowDocument | (FlowVersion & { readonly when: string | null })) =>
      conditionHolds({ ...version, blueprintVars: version.blueprintVars ?? null }, args, {
        sandbox: this.sandbox,
        now,
      });
    try {
      const would = await holds(flow);
      const did = wasSkipped ? await holds({ ...ran, when: ran.when ?? null }) : true;
      if (would !== did) return differenceOfPlay('$state', did ? play.state : 'SKIP', would ? 'RUN' : 'SKIP');
      return wasSkipped ? NOTHING_KNOWN : null;
    } catch (error) {
      if (!(error instanceof WeftError && error.code === 'condition_failed')) throw error;
      return differenceOfPlay('$error', null, { code: error.code, message: error.message });
    }
  }

  /** The stored outputs of pure layers that are compared. One that is too large to be compared is not read. */
  private async storedOuts(
    scope: TenantScope,
    play: Play,
    ran: FlowVersion,
    { layers, uncertain }: PlayRehearsal,
  ): Promise<Map<string, unknown>> {
    const done = new Set(
      layers.filter(({ ref, state }) => state === 'DONE' && !uncertain.has(ref)).map(({ ref }) => ref),
    );
    const outs = new Map<string, unknown>();
    let leftBytes = ALL_OUTPUTS_BYTES;
    for (const result of play.layers) {
      const { ref, outRef } = result;
      if (!outRef || !done.has(ref) || !isPure(ran, result) || isTooLarge(outRef)) continue;
      leftBytes -= outRef.bytes;
      const stored = leftBytes < 0 ? null : await this.payloads.output(scope, outRef);
      if (stored) outs.set(ref, stored.out);
    }
    return outs;
  }
}

interface RanVersion {
  readonly version: FlowVersion;
  readonly faces: Faces;
}

interface OnePlay extends BacktestSubject {
  readonly scope: TenantScope;
  readonly version: FlowVersion;
  readonly play: Play;
  /** The version that it ran. */
  readonly ran: FlowVersion;
  readonly faces: { readonly version: Faces; readonly recorded: Faces };
  readonly signal: AbortSignal;
}

function isPure({ layers }: FlowVersion, { position }: LayerResult): boolean {
  return !reachesOutside(layers[position]?.appId ?? '');
}

function isTooLarge(ref: PayloadRef | undefined): boolean {
  return ref !== undefined && ref.bytes > ONE_OUTPUT_BYTES;
}
