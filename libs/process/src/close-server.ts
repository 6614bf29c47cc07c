import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { lastWords } from './last-words.js';

const LOOK_EVERY_MS = 50;

/**
 * Accepts no more connections, and resolves when the last request is answered. A connection with a request in progress
 * is closed after its answer; otherwise its client would keep it open, and the process would wait for it.
 */
export async function closeServer(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  const closingIdle = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  try {
    await app.close();
  } catch (error) {
    lastWords('ERROR', 'process', `closing the server: ${String(error)}`);
  } finally {
    clearInterval(closingIdle);
  }
}
