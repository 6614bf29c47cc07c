import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * Keeps requests and responses fast (ADR 110).
 *
 * V8 decides after the first seven objects of a class how many properties the later ones have room for. A garbage collection before
 * the seventh makes it forget those that are gone, and decide for too few: then each later request and response is a hash table, as
 * long as the process lives. The first requests of a process are probes, seconds apart. So this makes enough of both at once.
 */
const ENOUGH = 16;

// a list keeps each until all are made
const connection = new Duplex() as Socket;
Array.from({ length: ENOUGH }, () => new ServerResponse(new IncomingMessage(connection)));
