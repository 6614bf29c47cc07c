/** What a server says of its kind when it is asked. */
export interface KindOfServer {
  /** Of its replica set. */
  readonly setName?: string;
  /** It waits for its replica set to be initiated. */
  readonly isreplicaset?: boolean;
  /** `isdbgrid`: a router of a sharded cluster. */
  readonly msg?: string;
  /** The newest wire protocol that it speaks, which says its version. */
  readonly maxWireVersion?: number;
}

/** Of MongoDB 6.0. */
const OLDEST_WIRE = 17;

/** MongoDB answers, and cannot be used in the way it is set up. The message is one sentence that says what to do. */
export class UnsuitableMongo extends Error {
  override readonly name = 'UnsuitableMongo';

  /** @param mayPass a new replica set is initiated while processes already wait for it */
  constructor(
    message: string,
    readonly mayPass = false,
  ) {
    super(message);
  }
}

/** Null: it is a member of a replica set, and not too old. */
export function unsuitable({
  setName,
  isreplicaset,
  msg,
  maxWireVersion = OLDEST_WIRE,
}: KindOfServer): UnsuitableMongo | null {
  if (maxWireVersion < OLDEST_WIRE) {
    return new UnsuitableMongo('MONGODB_URI leads to a MongoDB older than 6.0: Weft needs 6.0 or later.');
  }
  if (msg === 'isdbgrid') {
    return new UnsuitableMongo(
      'MONGODB_URI leads to a sharded cluster, which Weft does not support: use one replica set.',
    );
  }
  if (isreplicaset) {
    return new UnsuitableMongo('The replica set of MongoDB is not initiated: run rs.initiate() on it once.', true);
  }
  if (setName !== undefined) return null;
  return new UnsuitableMongo(
    'MongoDB is not a replica set: start it with --replSet and initiate it, because transactions need one.',
  );
}
