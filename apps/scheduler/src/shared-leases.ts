import { SystemScope } from '@weft/store';
import { type LeasesRepository } from '@weft/records';

/** Of a process that dies, another one takes the work after this time. */
const LEASE_MS = 12_000;
/** What is done is done only on a renewal that was sent less than this ago, by this process's monotonic clock. */
const PROOF_MS = 8_000;
const PAGE = 500;

/** Work that schedulers share among them. */
export interface SharedWork {
  /** Begins the names of the leases: `webhooks`. */
  readonly name: string;
  /** The ids of all parts, in their order. */
  readonly ids: (after: string, limit: number) => Promise<readonly string[]>;
  /** Of the parts in one process; default: as many as there are. */
  readonly most?: number;
}

/** Which parts of some work are this process's. */
export class SharedLeases {
  private readonly all: SystemScope;
  /** When the renewal was sent that holds it, monotonic ms. */
  private readonly provenAt = new Map<string, number>();

  constructor(
    private readonly work: SharedWork,
    private readonly leases: Pick<LeasesRepository, 'take' | 'renew' | 'release' | 'held'>,
    private readonly owner: string,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {
    this.all = new SystemScope(`schedulers share the ${work.name} of all companies among them`);
  }

  get owned(): readonly string[] {
    return [...this.provenAt.keys()];
  }

  /** Whether something may be done for it now. */
  isProven(id: string): boolean {
    const at = this.provenAt.get(id);
    return at !== undefined && this.monotonicMs() - at < PROOF_MS;
  }

  /** Renews what this process has, and takes what nobody has. */
  async pass(): Promise<void> {
    await this.renew();
    const { most = Infinity } = this.work;
    for (let after: string | null = ''; after !== null && this.provenAt.size < most;) {
      const page: readonly string[] = await this.work.ids(after, PAGE);
      const others = page.filter((id) => !this.provenAt.has(id));
      const held = await this.leases.held(this.all, others.map(this.nameOf));
      for (const id of others) if (!held.has(this.nameOf(id)) && this.provenAt.size < most) await this.take(id);
      after = page.length === PAGE ? (page.at(-1) ?? null) : null;
    }
  }

  /** Others need not wait until the leases are over. @param ids default: all of this process */
  async giveBack(ids: readonly string[] = this.owned): Promise<void> {
    for (const id of ids) this.provenAt.delete(id);
    await this.leases.release(this.all, ids.map(this.nameOf), this.owner);
  }

  private async renew(): Promise<void> {
    const sentAt = this.monotonicMs();
    const held = await this.leases.renew(this.all, this.owned.map(this.nameOf), this.owner, LEASE_MS);
    for (const id of this.owned) {
      if (held.has(this.nameOf(id))) this.provenAt.set(id, sentAt);
      else this.provenAt.delete(id);
    }
  }

  private async take(id: string): Promise<void> {
    const sentAt = this.monotonicMs();
    const lease = { name: this.nameOf(id), holder: this.owner };
    if (await this.leases.take(this.all, lease, LEASE_MS)) this.provenAt.set(id, sentAt);
  }

  private readonly nameOf = (id: string): string => `${this.work.name}:${id}`;
}
