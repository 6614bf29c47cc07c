// Who may connect to a provided mongod: the members of its set, which have the key file, and the product.
import mongoose from 'mongoose';
import { passwordOf, secretFile } from './secret.mjs';

const { MongoClient, MongoServerError } = mongoose.mongo;
const AUTHENTICATION_FAILED = 18;
const USER_EXISTS = 51_003;
const MECHANISM = 'SCRAM-SHA-256';
/** The product's roles: all databases, and what it reads about the server. */
const USER = { name: 'weft', roles: ['readWriteAnyDatabase', 'dbAdminAnyDatabase', 'clusterMonitor'] };

/** @typedef {{ port: number, secret: string }} Place */

/**
 * Arguments of a server that refuses everybody without a password. The secret is its key file, which brings a first user,
 * `__system`, so that the exception for local connections is never needed.
 * @param {string} folder
 */
export function askingForPassword(folder) {
  return ['--keyFile', secretFile(folder), '--setParameter', 'enableLocalhostAuthBypass=false'];
}

/**
 * The address that the product is given.
 * @param {Place} place
 */
export function uriOf({ port, secret }) {
  const query = `replicaSet=rs0&authMechanism=${MECHANISM}&authSource=admin`;
  return `mongodb://${USER.name}:${passwordOf(secret, USER.name)}@127.0.0.1:${port}/?${query}`;
}

/**
 * Connects as a member of the set, which may do everything.
 * @param {Place} place
 */
export function asMember({ port, secret }) {
  const query = `directConnection=true&authMechanism=${MECHANISM}&authSource=local`;
  return `mongodb://__system:${secret}@127.0.0.1:${port}/?${query}`;
}

/**
 * Creates the product's user, or sets the password that is derived from this secret.
 * @param {import('mongoose').mongo.Db} admin
 * @param {Place} place
 */
export async function ensureUser(admin, place) {
  if (await isUserKnown(place)) return;
  const { name, roles } = USER;
  const user = { pwd: passwordOf(place.secret, name), roles, mechanisms: [MECHANISM] };
  try {
    await admin.command({ createUser: name, ...user });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== USER_EXISTS) throw error;
    await admin.command({ updateUser: name, ...user });
  }
}

/** @param {Place} place */
async function isUserKnown(place) {
  try {
    return await withClient(uriOf(place), async (client) => (await client.db('admin').command({ ping: 1 })).ok === 1);
  } catch (error) {
    if (error instanceof MongoServerError && error.code === AUTHENTICATION_FAILED) return false;
    throw error;
  }
}

/**
 * @template T
 * @param {string} uri
 * @param {(client: import('mongoose').mongo.MongoClient) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withClient(uri, work) {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2_000, maxPoolSize: 1 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
