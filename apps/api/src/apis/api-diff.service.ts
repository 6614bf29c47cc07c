import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { LayerDefinition } from '@weft/engine';
import { prepareVersion } from '@weft/layers';
import {
  FlowRepository,
  TestCaseRepository,
  type ApiFound,
  type ApiKind,
  type FlowDocument,
  type StoredDifference,
} from '@weft/records';
import { TenantScope } from '@weft/store';
import { setImmediate as nextRound } from 'node:timers/promises';
import { FlowRights } from '../flows/flow-rights.js';
import type { ApiDiffView, TouchedFlowView, TouchedLayerView } from './api-diff.view.js';
import { ApisService } from './apis.service.js';
import { operationsOf } from './operation-layer.js';
import { touchedLayer, type OutputRead } from './touched-layer.js';

/** Flows that are looked through. */
const MOST_FLOWS = 1_000;

/** What the last refresh of an API means for the flows of the company. */
@Injectable()
export class ApiDiffService {
  constructor(
    private readonly apis: ApisService,
    private readonly flows: FlowRepository,
    private readonly cases: TestCaseRepository,
    private readonly rights: FlowRights,
  ) {}

  /** Of flows only those that the caller may read, and of each its newest version. @throws WeftError `not_found` */
  async diff(caller: Principal, kind: ApiKind, name: string): Promise<ApiDiffView> {
    const api = await this.apis.readCompared(caller, kind, name);
    const { refresh } = api;
    if (!refresh) return { refresh: null, operations: [], flows: [] };
    const { at, dryRun, counts, differences } = refresh;
    return {
      refresh: { at: at.toISOString(), dryRun, counts },
      operations: differences,
      flows: await this.touchedFlows(caller, api, differences),
    };
  }

  private async touchedFlows(
    caller: Principal,
    api: ApiFound,
    differences: readonly StoredDifference[],
  ): Promise<TouchedFlowView[]> {
    const scope = new TenantScope(caller.companyId);
    const byState = new Map(differences.map((each) => [`${each.operation}@${each.digest ?? ''}`, each]));
    const visibility = await this.rights.visibilityOf(caller);
    const touched: Omit<TouchedFlowView, 'testCases'>[] = [];
    for await (const flow of this.flows.callingApi(scope, visibility, namesOf(api), MOST_FLOWS)) {
      const layers = touchedLayers(flow, api, byState);
      const { _id: flowId, name, version } = flow;
      if (layers.length > 0) touched.push({ flowId, name, version, layers });
      await nextRound();
    }
    const places = touched.flatMap(({ flowId, layers }) => layers.map(({ ref }) => ({ flowId, ref })));
    const cases = Map.groupBy(await this.cases.withFixtures(scope, places), ({ flowId }) => flowId);
    return touched.map((flow) => ({
      ...flow,
      testCases: (cases.get(flow.flowId) ?? []).map(({ _id: id, name, required }) => ({ id, name, required })),
    }));
  }
}

export function namesOf({ _id, key }: Pick<ApiFound, '_id' | 'key'>): string[] {
  return key === null ? [_id] : [_id, key];
}

function touchedLayers(
  flow: FlowDocument,
  api: ApiFound,
  byState: ReadonlyMap<string, StoredDifference>,
): TouchedLayerView[] {
  const found = flow.layers.flatMap((layer) =>
    operationsOf(layer, api).flatMap(({ path, operation, digest, input }) => {
      const difference = byState.get(`${operation}@${digest}`);
      return difference ? [{ layer, isTool: path !== '', input, difference }] : [];
    }),
  );
  if (found.length === 0) return [];
  const reads = readsIn(flow);
  return found.map(({ layer, isTool, input, difference }) => {
    const { operation, digest } = difference;
    // what a tool answers is read by the model
    return { ref: layer.ref, operation, digest, ...touchedLayer(difference, input, isTool ? [] : reads(layer)) };
  });
}

/** All of an output. */
const WHOLE: readonly OutputRead[] = [{ steps: [], throughLists: false }];

/** What the expressions of the flow read of the output of a layer; where that is not known, all of it. */
function readsIn(flow: FlowDocument): (layer: LayerDefinition) => readonly OutputRead[] {
  try {
    const { layers } = prepareVersion({ ...flow, flowId: flow._id, companyId: flow.company_id }, '');
    const reads = layers.flatMap((each) => each.reads);
    return (layer) => {
      const paths = reads.filter(({ ref }) => ref === layer.ref).flatMap((read) => read.paths);
      // outputs of loops, rounds and pages have those of the operation in them
      const isPlain = layer.forEach === null && !layer.repeat && layer.args.paginate === undefined;
      return isPlain || paths.length === 0 ? paths : WHOLE;
    };
  } catch {
    return () => WHOLE;
  }
}
