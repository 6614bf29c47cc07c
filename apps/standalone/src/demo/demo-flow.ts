import type { FlowView, LayerView } from '@weft/contracts';
import { DemoRefused, type DemoApi } from './demo-api.js';

const NAME = 'Demo: greet somebody';

/**
 * The demo flow: a web request to the demo target, then a template over its answer. Found by its stored id; created again if
 * somebody deleted it; updated if the target's address has changed.
 */
export async function ensureDemoFlow(api: DemoApi, targetUrl: string, knownId: string | null): Promise<FlowView> {
  const known = knownId === null ? null : await readFlow(api, knownId);
  if (known !== null) {
    const fetching = known.layers?.find(({ ref }) => ref === 'fetch');
    if (fetching !== undefined && fetching.args.url !== targetUrl) {
      const args = { ...fetching.args, url: targetUrl };
      await api.call<LayerView>('PUT', `/api/v1/flows/${known.id}/layers/${fetching.id}`, { args });
    }
    return known;
  }
  const flow = await api.call<FlowView>('POST', '/api/v1/flows', { name: NAME, category: 'demo' });
  const layers = `/api/v1/flows/${flow.id}/layers`;
  await api.call('POST', layers, {
    ref: 'fetch',
    appId: 'web-request',
    args: { url: targetUrl, query: { name: '{{ $prev.args.name ?? "world" }}' } },
  });
  await api.call('POST', layers, {
    ref: 'greet',
    appId: 'text-template',
    args: {
      template: '{{ .fetch.json.greeting }}, {{ .fetch.json.name }}! The request took {{ .fetch.durationMs }} ms.',
    },
  });
  return flow;
}

async function readFlow(api: DemoApi, id: string): Promise<FlowView | null> {
  try {
    return await api.call<FlowView>('GET', `/api/v1/flows/${id}`);
  } catch (error) {
    if (error instanceof DemoRefused && error.status === 404) return null;
    throw error;
  }
}
