import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Warning } from '@weft/contracts';
import type { LayerDefinition } from '@weft/engine';
import { asSentence, boundedErrors, WeftError, type FieldError } from '@weft/kernel';
import {
  doubtsAboutAgent,
  faceFaults,
  faceKeysOf,
  isFaceFault,
  namedFaces,
  withPin,
  type Face,
  type FaceFault,
  type Faces,
  type NamedFace,
} from '@weft/layers';
import { OperationFaces, type FlowDocument } from '@weft/records';
import { TenantScope } from '@weft/store';
import { inLayer } from './judgement/judge-flow.js';

/** Characters of the schemas of all operations of a flow: a process that runs it holds them. */
const MOST_CHARS = 4 * 1024 * 1024;
/** As few operations always fit, each as large as an import takes it. */
const ALWAYS_FIT = 7;

const AGENT = 'agent';

type Layers = readonly LayerDefinition[];
type Named = Pick<FlowDocument, 'company_id' | 'layers'>;

/** What layers name that the company has of its own. A version of a flow is pinned to the state that it was saved with. */
@Injectable()
export class FlowFaces {
  constructor(private readonly faces: OperationFaces) {}

  /** Those of all layers, for a dry run. */
  of({ company_id, layers }: Named): Promise<Faces> {
    return this.faces.find(new TenantScope(company_id), faceKeysOf(layers));
  }

  /** What may be a mistake in the tools of agents, by layer id. */
  async doubtsOf({ company_id, layers }: Named): Promise<ReadonlyMap<string, readonly Warning[]>> {
    const doubts = new Map<string, readonly Warning[]>();
    for (const layer of layers) {
      if (layer.appId !== AGENT) continue;
      const faces = await this.of({ company_id, layers: [layer] });
      const found = doubtsAboutAgent(layer.args, faces).map((doubt) => ({ ...doubt, path: `args.${doubt.path}` }));
      doubts.set(layer.id, found);
    }
    return doubts;
  }

  /**
   * What keeps the layers from running; paths name them by ref.
   *
   * @param before layers that are the same there are not judged
   */
  async faultsOf({ company_id, layers }: Named, before: Layers = []): Promise<FieldError[]> {
    const faults: FieldError[] = [];
    for await (const { layer, named, found } of this.changedFaces(company_id, layers, before)) {
      for (const fault of faceFaults(layer, named, found)) faults.push(inLayer(layer, fault));
    }
    return faults;
  }

  /**
   * The flow whose layers name the states that they run with.
   *
   * @param before layers that are the same there are not judged: what they name may be gone, and they keep what they have
   * @throws WeftError `invalid_args`; paths name layers by ref; without one, all operations together are too large
   */
  async pinned(flow: FlowDocument, before?: Pick<FlowDocument, 'layers'>): Promise<FlowDocument> {
    if (flow.layers === before?.layers) return flow;
    const pinned = new Map<string, LayerDefinition['args']>();
    const faults: FieldError[] = [];
    for await (const { layer, named, found } of this.changedFaces(flow.company_id, flow.layers, before?.layers ?? [])) {
      faults.push(...faceFaults(layer, named, found).map((fault) => inLayer(layer, fault)));
      if (isFaceFault(found) || !named.isPinned) continue;
      pinned.set(layer.id, withPin(pinned.get(layer.id) ?? layer.args, named, found.digest));
    }
    const [first] = faults;
    if (first) {
      const detail = asSentence(`${first.path}: ${first.message}`);
      throw new WeftError('invalid_args', detail, { errors: boundedErrors(faults) });
    }
    if (pinned.size === 0) return flow;
    const layers = flow.layers.map((layer) => {
      const args = pinned.get(layer.id);
      return args ? { ...layer, args } : layer;
    });
    await this.assertFit(flow.company_id, layers);
    return { ...flow, layers };
  }

  /** @throws WeftError `invalid_args` */
  private async assertFit(companyId: string, layers: Layers): Promise<void> {
    const keys = faceKeysOf(layers);
    if (keys.length <= ALWAYS_FIT) return;
    const scope = new TenantScope(companyId);
    let left = MOST_CHARS;
    for (const key of keys) {
      const { argsSchema, outSchema, plan } = {
        argsSchema: {},
        outSchema: {},
        plan: {},
        ...(await this.faces.findOne(scope, key)),
      };
      left -= JSON.stringify([argsSchema, outSchema, plan]).length;
      if (left >= 0) continue;
      const message = `The ${keys.length} operations that the flow calls have schemas of more than ${MOST_CHARS} characters together`;
      throw new WeftError('invalid_args', `${message}: call some of them in another flow, with run-flow.`);
    }
  }

  /** One after the other: each may be large. */
  private async *changedFaces(companyId: string, layers: Layers, before: Layers): AsyncGenerator<FoundFace> {
    const scope = new TenantScope(companyId);
    const known = new Map(before.map((layer) => [layer.id, layer]));
    for (const layer of layers) {
      const present = known.get(layer.id);
      if (present?.appId === layer.appId && isDeepStrictEqual(present.args, layer.args)) continue;
      for (const named of namedFaces(layer)) {
        yield { layer, named, found: await this.faces.findOne(scope, named.faceKey) };
      }
    }
  }
}

interface FoundFace {
  readonly layer: LayerDefinition;
  readonly named: NamedFace;
  readonly found: Face | FaceFault;
}
