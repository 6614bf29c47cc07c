// Receives webhooks of Weft, verifies them and answers. Run: WEBHOOK_SECRET=whsec_… node receive-webhooks.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

const secret = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace('whsec_', ''), 'base64');
const seen = new Set<string>(); // keep it in a database, for at least a week

function isSigned({ headers }: IncomingMessage, body: Buffer): boolean {
  const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false; // an old request, sent again by somebody
  const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((each) => {
      const [version, signature = ''] = each.split(',');
      const given = Buffer.from(signature, 'base64');
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
    });
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks); // the bytes as they came: JSON that is written again has another signature
  if (!isSigned(request, body)) return void response.writeHead(401).end();
  const id = String(request.headers['webhook-id']);
  if (!seen.has(id)) console.log(id, String(body)); // store the event here, before the answer
  seen.add(id);
  response.writeHead(204).end();
});
server.listen(Number(process.env.PORT ?? 8080), () => console.log('listening', JSON.stringify(server.address())));
