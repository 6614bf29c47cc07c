import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const LOOK_EVERY_MS = 50;

/**
 * Takes no connection any more, and resolves when the last request is answered. A connection that a request held when this
 * began is closed after its answer: its client would keep it open otherwise, and be waited for.
 */
export async function closeServer(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  const closingIdle = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  try {
    await app.close();
  } catch (error) {
    process.stderr.write(`closing the server: ${String(error)}\n`);
  } finally {
    clearInterval(closingIdle);
  }
}
