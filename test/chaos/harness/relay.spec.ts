import { testRun, waitFor } from '@weft/testing';
import mongoose from 'mongoose';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import type { Shape } from './lane.js';
import { messageCutter, withClockAhead } from './mongo-wire.js';
import { relay, type Relay } from './relay.js';

let shapes: { toServer?: Shape; toClient?: Shape } = {};
let through: Relay;
const atServer: Socket[] = [];
let heard = '';

beforeAll(async () => {
  const server = createServer((socket) => {
    atServer.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard += bytes.toString();
      socket.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  through = await relay({ port, toServer: () => shapes.toServer ?? {}, toClient: () => shapes.toClient ?? {} });
  return () => void server.close();
});

/** A client whose words the server says back. */
async function client() {
  const socket = connect(through.port, '127.0.0.1');
  const state = { said: '', closed: false };
  socket.on('data', (bytes) => (state.said += bytes.toString()));
  socket.on('error', () => undefined).on('close', () => (state.closed = true));
  await once(socket, 'connect');
  return { socket, state };
}

it('passes bytes on, and holds those of one direction until it is told otherwise', async () => {
  const { socket, state } = await client();
  socket.write('a');
  await waitFor(() => state.said === 'a', { what: 'the answer' });
  shapes = { toClient: { held: true } };
  heard = '';
  socket.write('b');
  await waitFor(() => heard === 'b', { what: 'the server to hear' });
  expect(state.said).toBe('a');
  shapes = {};
  through.changed();
  await waitFor(() => state.said === 'ab', { what: 'the answer that was held' });
  shapes = { toServer: { held: true } };
  socket.write('c');
  socket.end();
  shapes = {};
  through.changed();
  await waitFor(() => state.closed, { what: 'the end' });
  expect([heard, state.said]).toEqual(['bc', 'abc']);
});

it('keeps the order of what it delays, and lets no more pass than the bandwidth has room for', async () => {
  const { socket, state } = await client();
  const text = Array.from({ length: 200 }, (_, i) => `${i};`).join('');
  shapes = { toServer: { delayMs: 5, jitterMs: 20 }, toClient: { jitterMs: 10 } };
  for (const part of text.split(/(?<=;)/)) socket.write(part);
  await waitFor(() => state.said === text, { what: 'all of it, in order' });
  shapes = { toServer: { bytesPerSecond: 100_000 } };
  const startedAt = performance.now();
  socket.write('x'.repeat(60_000));
  await waitFor(() => state.said.length === text.length + 60_000, { what: 'all of it' });
  expect(performance.now() - startedAt).toBeGreaterThan(500);
  shapes = {};
  socket.destroy();
});

it('breaks connections at both ends, or at the server’s alone', async () => {
  const [cut, left] = [await client(), await client()];
  for (const { socket } of [cut, left]) socket.write('x');
  await waitFor(() => cut.state.said + left.state.said === 'xx', { what: 'both answers' });
  expect(through.abandon()).toBe(2);
  await waitFor(() => atServer.every(({ destroyed }) => destroyed), { what: 'the end at the server' });
  heard = '';
  left.socket.write('y');
  const other = await client();
  other.socket.write('z');
  await waitFor(() => other.state.said === 'z', { what: 'an answer' });
  expect([heard, left.state.closed]).toEqual(['z', false]);
  expect(through.cut()).toBe(1);
  await waitFor(() => other.state.closed, { what: 'the end' });
  for (const { socket } of [cut, left]) socket.destroy();
});

it('gives MongoDB’s clients another time than its own', async () => {
  const uri = new URL(testRun().mongodbUri);
  const rewrite = () => {
    const cut = messageCutter();
    return (bytes: Buffer) => cut(bytes).map((message) => withClockAhead(message, 3_600_000));
  };
  const { port } = await relay({ port: Number(uri.port), rewrite });
  const mongo = new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
  const { localTime } = await mongo.db('admin').command({ hello: 1 });
  await mongo.close();
  expect(Math.abs((localTime as Date).getTime() - Date.now() - 3_600_000)).toBeLessThan(60_000);
});
