/** A topic as its brokers have it, and the connections to them. */
import { SourceFault } from '../source.js';
import type { Broker } from './broker.js';
import { asFault, connectBroker, type Connecting } from './connect-broker.js';
import type { KafkaPlace } from './kafka-place.js';
import { KAFKA_ERRORS, offsetsAt, topicFacts, type KafkaRequest, type TopicFacts } from './requests.js';

/** Of one trigger: each may lag, and is in the trigger's document. */
const MOST_PARTITIONS = 500;

export class KafkaTopic {
  private readonly brokers = new Map<number, Promise<Broker>>();
  private seed: Broker | null = null;
  private facts: TopicFacts | null = null;

  constructor(
    readonly name: string,
    private readonly place: KafkaPlace,
    private readonly connecting: Connecting,
  ) {}

  get id(): string {
    return this.known().id;
  }

  get partitions(): readonly number[] {
    return this.known()
      .partitions.map(({ index }) => index)
      .sort((a, b) => a - b);
  }

  /** The partitions of each broker that leads some. */
  get leaders(): ReadonlyMap<number, readonly number[]> {
    const by = Map.groupBy(this.known().partitions, ({ leader }) => leader);
    return new Map([...by].map(([leader, partitions]) => [leader, partitions.map(({ index }) => index)]));
  }

  /** Asks which partitions there are, and who leads them. @throws SourceFault */
  async look(): Promise<void> {
    const seed = await this.seedBroker();
    const facts = await this.from(seed, topicFacts(this.name));
    const named = `The topic ${this.name}`;
    if (!facts || facts.error === KAFKA_ERRORS.unknownTopic || facts.error === KAFKA_ERRORS.invalidTopic) {
      throw new SourceFault('topic_not_found', `${named} is not there.`);
    }
    if (facts.error === KAFKA_ERRORS.topicDenied) {
      throw new SourceFault('denied', `${named} may not be read by the user of the integration.`);
    }
    if (facts.error !== KAFKA_ERRORS.none) throw trouble(`${named} cannot be read now`, facts.error);
    if (facts.partitions.length > MOST_PARTITIONS) {
      throw new SourceFault('too_many_partitions', `${named} has more than ${MOST_PARTITIONS} partitions.`);
    }
    const orphan = facts.partitions.find(({ leader }) => !facts.brokers.has(leader));
    if (orphan || facts.partitions.length === 0) {
      throw new SourceFault('connect_failed', `Nobody leads the partition ${orphan?.index ?? 0} of ${this.name} now.`);
    }
    this.facts = facts;
  }

  /** @throws SourceFault */
  async offsets(partitions: readonly number[], time: bigint): Promise<ReadonlyMap<number, bigint>> {
    const wanted = new Set(partitions);
    const found = new Map<number, bigint>();
    for (const [leader, all] of this.leaders) {
      const some = all.filter((partition) => wanted.has(partition));
      if (some.length === 0) continue;
      for (const { partition, error, offset } of await this.ask(leader, offsetsAt(this.name, some, time))) {
        if (error !== KAFKA_ERRORS.none) throw trouble(`The offsets of ${this.name} cannot be read now`, error);
        found.set(partition, offset);
      }
    }
    const missing = partitions.find((partition) => !found.has(partition));
    if (missing !== undefined)
      throw new SourceFault('connect_failed', `No offset of partition ${missing} was answered.`);
    return found;
  }

  /** @throws SourceFault */
  async ask<Answer>(leader: number, request: KafkaRequest<Answer>, waitMs = 0): Promise<Answer> {
    let broker = this.brokers.get(leader);
    if (!broker) {
      const at = this.known().brokers.get(leader);
      if (!at) throw new SourceFault('connect_failed', `The broker ${leader} is not known.`);
      broker = connectBroker(this.place, at, this.connecting);
      this.brokers.set(leader, broker);
      broker.catch(() => this.brokers.delete(leader));
    }
    return this.from(await broker, request, waitMs);
  }

  async close(): Promise<void> {
    this.seed?.close();
    for (const broker of await Promise.allSettled(this.brokers.values())) {
      if (broker.status === 'fulfilled') broker.value.close();
    }
  }

  private async seedBroker(): Promise<Broker> {
    if (this.seed) return this.seed;
    let fault: unknown;
    for (const at of this.place.brokers) {
      try {
        this.seed = await connectBroker(this.place, at, this.connecting);
        return this.seed;
      } catch (error) {
        fault = error;
      }
    }
    throw fault;
  }

  private async from<Answer>(broker: Broker, request: KafkaRequest<Answer>, waitMs = 0): Promise<Answer> {
    try {
      return await broker.ask(request, waitMs);
    } catch (error) {
      this.connecting.signal.throwIfAborted();
      throw asFault(error, broker.address);
    }
  }

  private known(): TopicFacts {
    if (!this.facts) throw new TypeError('the topic was not looked at');
    return this.facts;
  }
}

export function trouble(what: string, error: number): SourceFault {
  return new SourceFault('connect_failed', `${what} (error ${error} of Kafka).`);
}
