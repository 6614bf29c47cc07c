// Receives webhooks of Weft, and verifies them. Run: WEBHOOK_SECRET=whsec_… node receive-webhooks.ts
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from '@weft/client';

const secret = process.env.WEBHOOK_SECRET ?? '';
const seen = new Set<unknown>(); // keep it in a database, for at least a week

const server = createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(await buffer(request), request.headers, { secret });
    const id = request.headers['webhook-id'];
    if (!seen.has(id)) console.log(event.type, JSON.stringify(event.data)); // store it here, before the answer
    seen.add(id);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
});
server.listen(Number(process.env.PORT ?? 8080), () => console.log('listening', JSON.stringify(server.address())));
