import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { outOf, type DoneItems, type LayerDefinition, type LayerResult, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { ChildPlaysRepository, PayloadStore, PlayReadsRepository, TenantScope, type StartedItem } from '@weft/store';
import { loopKindOf, worksInSteps } from '@weft/layers';
import { FlowVersionRepository } from '@weft/records';
import { toPage, toPageRequest } from '../../http/paging.js';
import { PlayRights } from '../play-rights.js';
import { outputPath } from '../play.view.js';
import type { LoopItemsQuery } from '../play.requests.js';
import { itemsLeft, itemsOfOutput, openItem, type LoopItem } from './loop-items.js';
import type { LoopItemView } from './loop-items.view.js';

/** A larger output is read as a whole elsewhere, streamed. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

const MOST_ITEMS = 10_000;

type ItemsRead = () => Iterable<LoopItem> | AsyncIterable<LoopItem>;

/** What became of each item, page or round of a loop. */
@Injectable()
export class LoopItemsService {
  constructor(
    private readonly plays: PlayReadsRepository,
    private readonly rights: PlayRights,
    private readonly versions: FlowVersionRepository,
    private readonly payloads: PayloadStore,
    private readonly children: ChildPlaysRepository,
  ) {}

  /** @throws WeftError `not_found`, `denied`, `invalid_query`, `value_too_large` */
  async read(caller: Principal, playId: string, ref: string, query: LoopItemsQuery): Promise<Page<LoopItemView>> {
    const page = toPageRequest(query, (text) => /^\d{1,9}$/.test(text));
    const scope = new TenantScope(caller.companyId);
    const play = await this.rights.assertMay(caller, 'read', await this.plays.findWithLayers(scope, playId));
    const version = await this.versions.find(scope, play.flowId, play.version);
    const position = version?.layers.findIndex((layer) => layer.ref === ref) ?? -1;
    const layer = version?.layers[position];
    if (!layer || loopKindOf(layer) === null) throw new WeftError('not_found', `This play has no loop "${ref}".`);
    const wanted = (item: LoopItem) => query.ok === undefined || String(item.ok) === query.ok;
    const items = await this.itemsOf(scope, play, position, layer);
    const known: number[] = [];
    for await (const item of items()) if (wanted(item)) known.push(item.index);
    known.sort((one, other) => one - other);
    const from = page.after === null ? page.page * page.size : known.findIndex((index) => index > Number(page.after));
    const shown = from === -1 ? [] : known.slice(from, from + page.size);
    const found = await pick(items(), shown);
    const last = shown.at(-1);
    const hasMore = last !== undefined && last !== known.at(-1);
    const total = { total: known.length, totalCapped: false };
    return toPage(page, { items: found, ...total, nextAfter: hasMore ? String(last) : null }, (item) => item);
  }

  /** Reads them anew each time that the returned function is called. */
  private async itemsOf(scope: TenantScope, play: Play, position: number, layer: LayerDefinition): Promise<ItemsRead> {
    const result = play.layers.find((each) => each.position === position);
    const steps = worksInSteps(layer.appId) ? play.doneItems?.[position] : undefined;
    // a retry takes over the output of an agent, and not its steps
    if (result?.state === 'DONE' && !steps) {
      const out = await this.outputOf(scope, result);
      return () => itemsOfOutput(out, layer);
    }
    const left = result?.doneItems ?? play.doneItems?.[position];
    assertSmall(`The items of "${layer.ref}" that are stored so far have`, bytesStored(left));
    // where the play goes on, the output is that of the loop
    const refused =
      result?.error && layer.onError !== 'continue' ? await this.refusedBy(scope, play._id, result) : null;
    const stored = () => itemsLeft(play, left, layer, result, refused, (payload) => this.payloads.open(scope, payload));
    const open = layer.appId === 'run-flow' ? await this.children.startedItems(scope, play, position, MOST_ITEMS) : [];
    return open.length === 0 ? stored : () => withOpen(stored(), open);
  }

  /** What the item that failed kept. */
  private async refusedBy(scope: TenantScope, playId: string, result: LayerResult): Promise<unknown> {
    const { ref, outRef } = result;
    if (!outRef) return outOf(result);
    if (outRef.bytes > MAX_OUTPUT_BYTES) return { $ref: outputPath(playId, ref), bytes: outRef.bytes };
    return (await this.payloads.output(scope, outRef))?.out ?? null;
  }

  private async outputOf(scope: TenantScope, result: LayerResult): Promise<unknown> {
    const { ref, outRef } = result;
    if (!outRef) return outOf(result);
    assertSmall(`The output of "${ref}" has`, outRef.bytes, ' Read …/out.');
    const stored = await this.payloads.output(scope, outRef);
    if (!stored) throw new WeftError('not_found', 'This output is not kept any more.');
    return stored.out;
  }
}

/** Items whose ends are stored come first; what follows has a play alone. */
async function* withOpen(stored: AsyncIterable<LoopItem>, started: readonly StartedItem[]): AsyncGenerator<LoopItem> {
  const seen = new Set<number>();
  for await (const item of stored) {
    seen.add(item.index);
    yield item;
  }
  for (const each of started) if (!seen.has(each.item)) yield openItem(each);
}

function bytesStored({ text = '', ref, more = [] }: DoneItems = { count: 0 }): number {
  return [...(ref ? [ref] : []), ...more].reduce((sum, { bytes }) => sum + bytes, Buffer.byteLength(text));
}

/** @throws WeftError `value_too_large` */
function assertSmall(what: string, bytes: number, advice = ''): void {
  if (bytes <= MAX_OUTPUT_BYTES) return;
  const limit = `its items are shown up to ${MAX_OUTPUT_BYTES}`;
  throw new WeftError('value_too_large', `${what} ${bytes} bytes; ${limit}.${advice}`);
}

/** Those of these indexes, in their order. */
async function pick(items: ReturnType<ItemsRead>, indexes: readonly number[]): Promise<LoopItem[]> {
  const found = new Map<number, LoopItem>();
  if (indexes.length > 0) {
    const wanted = new Set(indexes);
    for await (const item of items) if (wanted.has(item.index)) found.set(item.index, item);
  }
  return indexes.flatMap((index) => found.get(index) ?? []);
}
