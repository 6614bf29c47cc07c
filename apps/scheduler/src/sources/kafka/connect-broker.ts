import { EgressError, type EgressDialer } from '@weft/egress';
import { CONNECTS_WITHIN_MS, dialPlace, encryptTo, LayerFailure } from '@weft/layers';
import { SourceFault } from '../source.js';
import { Broker, type AnswerRoom } from './broker.js';
import { unusable, type KafkaPlace, type Sasl } from './kafka-place.js';
import { KAFKA_ERRORS, saslAuthenticate, saslHandshake } from './requests.js';
import { Scram, type ScramHash } from './scram.js';
import { WireFault } from './wire.js';

export interface Connecting {
  readonly sockets: EgressDialer;
  readonly room: AnswerRoom;
  readonly signal: AbortSignal;
}

const MECHANISMS: Readonly<Record<Exclude<Sasl, 'none'>, { readonly name: string; readonly hash?: ScramHash }>> = {
  plain: { name: 'PLAIN' },
  'scram-sha-256': { name: 'SCRAM-SHA-256', hash: 'sha256' },
  'scram-sha-512': { name: 'SCRAM-SHA-512', hash: 'sha512' },
};

/**
 * Opens a connection to a broker that the link or another broker names. Every address passes the guard: a broker may name any.
 *
 * @throws SourceFault
 */
export async function connectBroker(
  place: KafkaPlace,
  { host, port }: { readonly host: string; readonly port: number },
  { sockets, room, signal: outer }: Connecting,
): Promise<Broker> {
  const address = `${host}:${port}`;
  const signal = AbortSignal.any([outer, AbortSignal.timeout(CONNECTS_WITHIN_MS)]);
  try {
    const at = { host, port, tls: place.tls, ca: place.ca };
    const raw = await dialPlace(at, sockets, signal);
    const socket = place.tls === 'off' ? raw : await encryptTo(raw, at, sockets.trusted, signal);
    const broker = new Broker(socket, address, room);
    try {
      await logIn(broker, place);
      return broker;
    } catch (error) {
      broker.close();
      throw error;
    }
  } catch (error) {
    outer.throwIfAborted();
    throw asFault(error, address);
  }
}

async function logIn(broker: Broker, { sasl, user, password }: KafkaPlace): Promise<void> {
  if (sasl === 'none') return;
  const { name, hash } = MECHANISMS[sasl];
  const { error, offered } = await broker.ask(saslHandshake(name));
  if (error === KAFKA_ERRORS.unsupportedMechanism) {
    throw unusable(`${broker.address} does not take ${name}, but ${offered.slice(0, 10).join(', ') || 'nothing'}`);
  }
  const say = async (token: Buffer): Promise<Buffer> => {
    const answer = await broker.ask(saslAuthenticate(token));
    if (answer.error !== KAFKA_ERRORS.none) throw unusable(`${broker.address} does not take its user and password`);
    return answer.token;
  };
  if (hash === undefined) {
    await say(Buffer.from(`\0${user}\0${password}`));
    return;
  }
  const scram = new Scram(hash, user, password);
  const proof = await scram.proof(await say(scram.first()));
  if (!scram.isServer(await say(proof))) throw unusable(`${broker.address} does not know the password itself`);
}

/** What failed at a broker, for users. */
export function asFault(error: unknown, address: string): SourceFault {
  if (error instanceof SourceFault) return error;
  if (error instanceof EgressError || error instanceof LayerFailure) {
    return new SourceFault(error.code, `${address}: ${error.message}`, { cause: error });
  }
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const why =
    error instanceof WireFault ? error.message : `the connection failed (${typeof code === 'string' ? code : 'ended'})`;
  return new SourceFault('connect_failed', `${address}: ${why}`, { cause: error });
}
