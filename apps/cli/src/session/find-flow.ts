import { isWeftError, type Flow, type Weft } from '@weft/client';
import { clean } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';

const MOST_NAMESAKES = 100;
const MOST_SIMILAR = 3;

/** A flow by its id, else by its exact name. */
export async function findFlow(weft: Weft, idOrName: string): Promise<Flow> {
  try {
    if (/^[\w-]+$/.test(idOrName)) return await weft.flows.get(idOrName);
  } catch (error) {
    if (!isWeftError(error, 'not_found')) throw error;
  }
  const [flow, ...more] = await flowsNamed(weft, idOrName);
  if (flow === undefined) throw await noFlow(weft, idOrName);
  if (more.length > 0)
    throw new Exit(
      EXIT.failed,
      `${more.length + 1} flows are named "${clean(idOrName)}".`,
      `Give an id: ${[flow, ...more].map(({ id }) => clean(id)).join(', ')}`,
    );
  return weft.flows.get(flow.id);
}

async function noFlow(weft: Weft, name: string): Promise<Exit> {
  const similar = await weft.flows.list({ q: name, size: MOST_SIMILAR }).take(MOST_SIMILAR);
  const hint = similar.map((flow) => `"${clean(flow.name)}" (${clean(flow.id)})`).join(', ');
  return new Exit(
    EXIT.failed,
    `There is no flow "${clean(name)}".`,
    hint === '' ? 'weft flows list shows all of them.' : `Did you mean ${hint}?`,
  );
}

export async function flowsNamed(weft: Weft, name: string): Promise<Flow[]> {
  const named: Flow[] = [];
  for await (const flow of weft.flows.list({ q: name, size: 200 })) {
    if (flow.name === name) named.push(flow);
    if (named.length >= MOST_NAMESAKES) break;
  }
  return named;
}
