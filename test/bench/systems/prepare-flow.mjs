// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { API_KEY, documentOfTheTarget, layersOfThePlay, WEBHOOK_PATH } from '../the-play.mjs';

/**
 * What a customer does before the first run, over the product's own API: signs in, creates an API key, a flow, its layers.
 *
 * @param {string} origin @param {{ email: string, password: string }} admin @param {string} targetOrigin
 * @param {number} [webhooks] endpoints at the target
 * @param {import('../the-play.mjs').Caller} [caller]
 * @returns {Promise<{ flowId: string, token: string }>}
 */
export async function prepareFlow(origin, admin, targetOrigin, webhooks = 0, caller = 'web-request') {
  const login = await post(`${origin}/api/v1/auth/login`, {}, 200, { email: admin.email, password: admin.password });
  const cookie = sessionCookie(login.headers);
  const key = await post(`${origin}/api/v1/admin/api-keys`, { cookie }, 201, { name: 'bench', scope: 'api' });
  const token = String(key.body.token);
  const bearer = { authorization: `Bearer ${token}` };
  if (caller === 'operation') await importApi(`${origin}/api/v1/apis`, cookie, targetOrigin);
  const flow = await post(`${origin}/api/v1/flows`, bearer, 201, { name: 'Bench' });
  const flowId = String(flow.body.id);
  for (const layer of layersOfThePlay(targetOrigin, caller)) {
    const made = await post(`${origin}/api/v1/flows/${flowId}/layers`, bearer, 201, layer);
    if (made.body.warnings?.length > 0) throw new Error(`layer ${layer.ref}: ${JSON.stringify(made.body.warnings)}`);
  }
  for (let i = 0; i < webhooks; i += 1) {
    const webhook = {
      name: `Bench ${i}`,
      url: `${targetOrigin}${WEBHOOK_PATH}`,
      events: ['play.done'],
      max_in_flight: 50,
    };
    await post(`${origin}/api/v1/webhooks`, { cookie }, 201, webhook);
  }
  return { flowId, token };
}

/** A scheduler has to run. @param {string} url @param {string} cookie @param {string} targetOrigin */
async function importApi(url, cookie, targetOrigin) {
  const document = JSON.stringify(documentOfTheTarget(targetOrigin));
  await post(url, { cookie }, 202, { name: 'Bench', key: API_KEY, source: { document } });
  for (;;) {
    const { body } = await request(`${url}/${API_KEY}`, { headers: { cookie } });
    const { state, fault } = /** @type {{ state: string, fault: string | null }} */ (await body.json());
    if (state === 'ready') return;
    if (state === 'failed') throw new Error(`the import failed: ${fault}`);
    await delay(200);
  }
}

/** @param {import('undici').Dispatcher.ResponseData['headers']} headers */
function sessionCookie(headers) {
  const cookies = [headers['set-cookie'] ?? []].flat();
  const sid = cookies.find((cookie) => cookie.startsWith('sid='));
  if (sid === undefined) throw new Error('login set no session cookie');
  return sid.split(';')[0] ?? '';
}

/** @param {string} url @param {Record<string, string>} headers @param {number} expected @param {object} payload */
async function post(url, headers, expected, payload) {
  const answer = await request(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== expected)
    throw new Error(`POST ${url} answered ${answer.statusCode}: ${text.slice(0, 500)}`);
  return { headers: answer.headers, body: JSON.parse(text) };
}
