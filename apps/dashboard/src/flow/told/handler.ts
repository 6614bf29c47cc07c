import type { operations } from '@weft/client';
import { answerOf, api } from '../../api/client';
import byMail from '../../../../../docs/examples/recipes/tell-by-mail.json' with { type: 'json' };
import byMessage from '../../../../../docs/examples/recipes/tell-by-message.json' with { type: 'json' };
import { ifMatch, type Flow } from '../queries';

/** Whom a flow tells of failures, and through which integration link. */
export type Told =
  | { readonly by: 'mail'; readonly link: string; readonly to: string }
  | { readonly by: 'message'; readonly link: string };

type Document = operations['PutDocuments_putByKey']['requestBody']['content']['application/json'];

const RECIPES = { mail: byMail, message: byMessage } as const;

/**
 * The same for the same address: flows that tell the same share one flow that does it. Those that not everybody may read have
 * another one, since its plays have the arguments of those that failed.
 */
export function keyOf(told: Told, isRestricted: boolean): string {
  const to = told.by === 'mail' ? [hashOf(told.to.toLowerCase())] : [];
  return ['tell', told.by, told.link, ...to, ...(isRestricted ? ['restricted'] : [])].join('-');
}

/** FNV-1a of 64 bits: no secret, only short. */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(36);
}

/** The flow that tells of failures: made, or made as it must be, and enabled. */
export async function handlerFor(told: Told, isRestricted: boolean): Promise<Flow> {
  const { by, ...blueprintVars } = told;
  const name = told.by === 'mail' ? `Tell ${told.to} of failures` : RECIPES.message.name;
  const body = { ...RECIPES[by], name, blueprintVars } as unknown as Document;
  const params = { path: { key: keyOf(told, isRestricted) } };
  const flow = await answerOf(api.PUT('/api/v1/flows/by-key/{key}/document', { params, body }));
  if (flow.enabled && flow.restricted === isRestricted) return flow;
  const place = { params: { path: { id: flow.id }, header: ifMatch(flow) } };
  return answerOf(api.PATCH('/api/v1/flows/{id}', { ...place, body: { enabled: true, restricted: isRestricted } }));
}
