import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder, waitFor, type LocalServer } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll } from 'vitest';
import { faketimeEnv, findFaketime, startMongodMember } from '#tools/servers/index.mjs';
import type { Shape } from './lane.js';
import { commandOf, messageCutter, withClockAhead } from './mongo-wire.js';
import { relay, type Peer, type Relay } from './relay.js';

const MEMBERS = 3;
/** In an undisturbed set, a lost primary is replaced after about this long. */
const ELECTION_TIMEOUT_MS = 1_000;
const HEARTBEAT_MS = 250;
/** A member that is kept from becoming the primary is so for this long; longer than an election and its repetition. */
const NO_CANDIDATE_SECONDS = 20;
const CLIENT = 'client';

export interface Member extends LocalServer {
  /** The address that its clients use. */
  readonly address: string;
}

/** Who cannot reach a member: everybody, or only the other members (clients still reach it). */
export type Isolation = 'from all' | 'from members';

/** Three members on this machine, each behind a relay that the others and all clients go through. */
export interface ReplicaSet {
  readonly uri: string;
  readonly members: readonly Member[];
  /** The primary on which the reachable members agree; waits until there is one. */
  primary(besides?: Member): Promise<Member>;
  secondary(): Promise<Member>;
  /** Kills the primary, so that this member takes its place, and starts it again. */
  promote(member: Member): Promise<void>;
  /** Kills the primary, and starts it again once another has its place. */
  replacePrimary(): Promise<void>;
  /** Bytes from and to it wait, also those of connections that are made meanwhile. */
  isolate(member: Member, kind?: Isolation): void;
  /** Everybody reaches everybody. @param late what happens to bytes that waited: they arrive, or their connections break */
  join(late?: 'arrives' | 'is lost'): void;
  /** From now on, its clock is this much ahead of this machine's. */
  setClockAhead(member: Member, ms: number): Promise<void>;
}

/**
 * How a member's clock is changed: with libfaketime for everything that it does; or by its relay, which changes the time in the
 * answers to `hello`. The relay works on any machine, and affects every part of the product that asks for the time.
 */
export type ClockMeans = 'is set' | 'is told';

export interface ReplicaSetOptions {
  readonly clock?: ClockMeans;
  /** How long what a member sends takes to another one; default: no time. */
  readonly betweenMembersMs?: number;
}

/** Stopped after the file's last test. */
export async function startReplicaSet({
  clock = 'is told',
  betweenMembersMs = 0,
}: ReplicaSetOptions = {}): Promise<ReplicaSet> {
  const library =
    clock === 'is set'
      ? await findFaketime({ env: process.env, log: (line) => process.stderr.write(`${line}\n`) })
      : null;
  const servers = await Promise.all(
    Array.from({ length: MEMBERS }, (_, i) => startMember(scratchFolder(`member-${i}`), library)),
  );
  afterAll(() => Promise.all(servers.map((server) => server.stop())));
  const ports = servers.map(({ port }) => port);
  const isolated = new Map<number, Isolation>();
  const aheadMs = new Map<number, number>();
  const isHeld = (member: number, peer: Peer): boolean =>
    isolated.get(member) === 'from all' || (isolated.has(member) && peer !== CLIENT);
  const between = (member: number, peer: Peer): Shape => ({
    held: isHeld(member, peer) || (typeof peer === 'number' && isHeld(peer, member)),
  });
  const relays: Relay[] = await Promise.all(
    ports.map((port, i) =>
      relay({
        port,
        toServer: (peer) => between(i, peer),
        toClient: (peer) => ({ ...between(i, peer), ...(peer !== CLIENT && { delayMs: betweenMembersMs }) }),
        peerOf: (bytes) => peerOf(bytes, ports),
        rewrite: (peer) => {
          const cut = messageCutter();
          const rewritten = (bytes: Buffer) =>
            cut(bytes).map((message) => withClockAhead(message, aheadMs.get(i) ?? 0));
          return (bytes) => (peer() === CLIENT ? rewritten(bytes) : [bytes]);
        },
      }),
    ),
  );
  const members = servers.map((server, i) =>
    Object.defineProperty(server, 'address', { value: `127.0.0.1:${relays[i]?.port}` }),
  ) as unknown as readonly Member[];
  await initiate(members);

  const indexOf = (member: Member): number => members.indexOf(member);
  const changed = (): void => relays.forEach((each) => each.changed());
  const helloOf = async (member: Member): Promise<mongoose.mongo.BSON.Document | null> => {
    if (isolated.has(indexOf(member))) return null;
    return directly(member, (admin) => admin.command({ hello: 1 }), ASKED_AGAIN_MS).catch(() => null);
  };
  const primary = (besides?: Member): Promise<Member> =>
    waitFor(
      async () => {
        const hellos = await Promise.all(members.map(helloOf));
        const found = members.filter((_, i) => hellos[i]?.isWritablePrimary === true);
        return found.length === 1 && found[0] !== besides && found[0];
      },
      { what: 'a primary', withinMs: 60_000 },
    );
  const replacePrimary = async (): Promise<void> => {
    const killed = await primary();
    await killed.kill();
    await primary(killed);
    await killed.start();
  };
  return {
    uri: `mongodb://${members.map(({ address }) => address).join(',')}/?replicaSet=rs0`,
    members,
    primary,
    secondary: async () => {
      const main = await primary();
      return members.find((member) => member !== main) ?? main;
    },
    promote: async (member) => {
      const before = await primary();
      const others = members.filter((other) => other !== before && other !== member);
      const keepBack = (admin: mongoose.mongo.Db) => admin.command({ replSetFreeze: NO_CANDIDATE_SECONDS });
      await Promise.all(others.map((other) => directly(other, keepBack)));
      await replacePrimary();
      await Promise.all(others.map((other) => directly(other, (admin) => admin.command({ replSetFreeze: 0 }))));
    },
    replacePrimary,
    isolate: (member, kind = 'from all') => {
      isolated.set(indexOf(member), kind);
      changed();
    },
    join: (late = 'arrives') => {
      const cut = [...isolated.keys()];
      isolated.clear();
      if (late === 'is lost') {
        relays.forEach((each, i) =>
          each.cut((peer) => cut.includes(i) || (typeof peer === 'number' && cut.includes(peer))),
        );
      }
      changed();
    },
    setClockAhead: async (member, ms) => {
      if (library === null) aheadMs.set(indexOf(member), ms);
      else await writeFile(clockFile(member.folder), `${ms < 0 ? '' : '+'}${ms / 1_000}s\n`);
    },
  };
}

async function startMember(folder: string, library: string | null): Promise<LocalServer> {
  if (library === null) return startMongodMember({ folder });
  await writeFile(clockFile(folder), '+0s\n');
  return startMongodMember({ folder, memberEnv: faketimeEnv({ library, file: clockFile(folder) }) });
}

function clockFile(folder: string): string {
  return join(folder, 'clock');
}

/** The first message of a member names its own port; a peer without that is a client. */
function peerOf(bytes: Buffer, ports: readonly number[]): Peer {
  const hello = commandOf(bytes);
  if (hello === null) return undefined;
  const port = Number(
    String(hello.hostInfo ?? '')
      .split(':')
      .at(-1),
  );
  const index = ports.indexOf(port);
  return index < 0 ? CLIENT : index;
}

async function initiate(members: readonly Member[]): Promise<void> {
  const [first] = members;
  if (first === undefined) throw new Error('A set needs members');
  const config = {
    _id: 'rs0',
    members: members.map(({ address }, _id) => ({ _id, host: address })),
    settings: { electionTimeoutMillis: ELECTION_TIMEOUT_MS, heartbeatIntervalMillis: HEARTBEAT_MS },
  };
  await directly(first, (admin) => admin.command({ replSetInitiate: config }));
  const allServe = async (): Promise<boolean> => {
    const { members: states } = (await directly(first, (admin) => admin.command({ replSetGetStatus: 1 }))) as {
      members: readonly { readonly stateStr: string }[];
    };
    return states.filter(({ stateStr }) => /^(PRIMARY|SECONDARY)$/.test(stateStr)).length === members.length;
  };
  await waitFor(allServe, { what: 'all members to serve', withinMs: 60_000 });
}

/** Of a member that may be frozen: another look follows. */
const ASKED_AGAIN_MS = 1_000;

/** @param withinMs until the member is reached: on a busy machine that takes seconds */
async function directly<T>(
  member: LocalServer,
  work: (admin: mongoose.mongo.Db) => Promise<T>,
  withinMs = 30_000,
): Promise<T> {
  const client = new mongoose.mongo.MongoClient(member.uri, { serverSelectionTimeoutMS: withinMs, maxPoolSize: 1 });
  try {
    return await work(client.db('admin'));
  } finally {
    await client.close();
  }
}
